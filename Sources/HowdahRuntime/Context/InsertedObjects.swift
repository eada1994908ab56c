/// The new objects of a save and the keys of their rows.
///
/// They are kept from the first statement of the save to their adoption. The first lookup creates the index
/// by key, because few saves have one.
final class InsertedObjects {
    private let objects: [ManagedObject]
    private let keyOfObject: (ManagedObject) -> Int64
    private lazy var index = Dictionary(
        grouping: objects, by: \.layout.root
    ).mapValues { objects in
        Dictionary(objects.map { (keyOfObject($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    init(_ objects: [ManagedObject], keyOfObject: @escaping (ManagedObject) -> Int64) {
        self.objects = objects
        self.keyOfObject = keyOfObject
    }

    func object(root: Int, key: Int64) -> ManagedObject? {
        guard let object = index[root]?[key], object.owner != nil else { return nil }
        return object
    }

    /// Returns the key of an object's row. If the save does not insert the object, the result is nil.
    func key(of object: ManagedObject) -> Int64? {
        let key = keyOfObject(object)
        return key == object.key ? nil : key
    }
}
