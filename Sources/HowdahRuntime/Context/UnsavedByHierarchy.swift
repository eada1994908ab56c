/// The new and changed objects of a context by hierarchy, in which a search examines one hierarchy only.
///
/// The first lookup creates them, and later ones add new unsaved objects. Objects that are saved or forgotten are
/// skipped by their flags.
struct UnsavedByHierarchy {
    private var objects: [Int: [ManagedObject]] = [:]
    private var insertedCount = 0
    private var updatedCount = 0

    /// Adds the objects that became unsaved since the last lookup.
    mutating func catchUp(with changes: Changes) {
        for object in changes.inserted[insertedCount...] {
            objects[object.layout.root, default: []].append(object)
        }
        for object in changes.updated[updatedCount...] {
            objects[object.layout.root, default: []].append(object)
        }
        (insertedCount, updatedCount) = (changes.inserted.count, changes.updated.count)
    }

    /// Removes the object that was inserted last; false if that needs a new search.
    ///
    /// - Parameter place: The position of the object among the new ones.
    mutating func forget(_ object: ManagedObject, at place: Int) -> Bool {
        if place >= insertedCount { return true }
        let root = object.layout.root
        guard let last = objects[root]?.last, last === object else { return false }
        objects[root]?.removeLast()
        insertedCount -= 1
        return true
    }

    /// The objects of a hierarchy.
    subscript(root: Int) -> [ManagedObject] { objects[root] ?? [] }
}
