/// The objects of one context by id, and the caches that are kept with them.
///
/// It is a class, so that Swift checks each property separately; in a struct all would be one. A hook may
/// read the context while a part changes. It then conflicts only with the property that is being written, and
/// no property is being written while a hook runs. The other parts of a context are classes for the same
/// reason.
package final class Registry {
    /// The objects of one hierarchy.
    package final class Hierarchy {
        private(set) var map: IdentityMap

        fileprivate init(isRetaining: Bool) { map = IdentityMap(isRetaining: isRetaining) }

        func find(_ key: Int64) -> ManagedObject? { map.find(key) }

        func insert(_ object: ManagedObject, _ key: Int64) {
            map.insert(object, key)
            if map.count & (HeapGrowth.objects - 1) == 0 { HeapGrowth.step() }
        }

        func remove(_ object: ManagedObject, _ key: Int64) { map.remove(object, key) }

        func reserve(_ additional: Int) { map.reserve(additional) }

        fileprivate func retain(_ isRetaining: Bool) -> [ManagedObject] { map.retain(isRetaining) }

        fileprivate func removeAll() -> [ManagedObject] { map.removeAll() }
    }

    /// The hierarchies by their root entities; nil until the first object arrives.
    private var hierarchies: [Hierarchy?]
    @exclusivity(unchecked) private var isRetaining = false
    /// A Boolean value that indicates whether partial objects may be registered.
    @exclusivity(unchecked) private(set) var hasParts = false
    /// The results of fetched properties, by the object that has the property, and its name.
    private(set) var fetchedObjects: [ObjectIdentifier: [String: [ManagedObject]]] = [:]
    /// The record that detached objects share.
    private var detachment: ChangeRecord?
    /// The number of running loads, one inside the other.
    @exclusivity(unchecked) private var loads = 0
    /// The objects that the running loads have filled, before their hooks are called.
    private var filled: [[ManagedObject]] = []
    /// The objects that become faults when the running loads have ended.
    private var toRefresh: [ManagedObject] = []
    /// The number of results that are being decoded, one inside the other.
    @exclusivity(unchecked) private var decodings = 0
    /// The objects whose rows the present save inserts.
    private var insertedObjects: InsertedObjects?

    init(hierarchyCount: Int) { hierarchies = Array(repeating: nil, count: hierarchyCount) }

    // MARK: Objects

    var count: Int { hierarchies.reduce(0) { $0 + ($1?.map.count ?? 0) } }

    package var all: [ManagedObject] { hierarchies.flatMap { $0?.map.all ?? [] } }

    /// Returns the registered objects of one hierarchy.
    func objects(root: Int) -> [ManagedObject] { hierarchies[root]?.map.all ?? [] }

    func find(root: Int, key: Int64) -> ManagedObject? {
        hierarchies[root]?.map.find(key) ?? arriving(root: root, key: key)
    }

    func insert(_ object: ManagedObject) {
        hierarchy(object.layout.root).insert(object, object.key)
    }

    func remove(_ object: ManagedObject) {
        hierarchies[object.layout.root]?.remove(object, object.key)
    }

    /// Returns the objects of one hierarchy, for callers that look up or insert many of them.
    func hierarchy(_ root: Int) -> Hierarchy {
        if let hierarchy = hierarchies[root] { return hierarchy }
        let hierarchy = Hierarchy(isRetaining: isRetaining)
        hierarchies[root] = hierarchy
        return hierarchy
    }

    /// Returns a Boolean value that indicates whether objects of a hierarchy are registered.
    func hasObjects(ofRoot root: Int) -> Bool { hierarchies[root].map { $0.map.count > 0 } ?? false }

    /// Registers an object under another key.
    package func rename(_ object: ManagedObject, to key: Int64) {
        remove(object)
        object.key = key
        insert(object)
    }

    // MARK: Inserted objects

    /// Makes objects available under the keys of the rows that a save inserts, until it has ended.
    ///
    /// If a log handler fetches between the statements of a save, it finds these rows.
    func expect(_ insertedObjects: InsertedObjects) { self.insertedObjects = insertedObjects }

    func endArrivals() { insertedObjects = nil }

    /// Returns the object whose row the present save inserts under a key.
    func arriving(root: Int, key: Int64) -> ManagedObject? { insertedObjects?.object(root: root, key: key) }

    /// Returns the key of the row that the present save inserts for an object.
    func arrivingKey(of object: ManagedObject) -> Int64? { insertedObjects?.key(of: object) }

    // MARK: Lifetimes

    /// Begins or ends to retain all objects.
    func retain(_ isRetaining: Bool) {
        self.isRetaining = isRetaining
        let objects = hierarchies.flatMap { $0?.retain(isRetaining) ?? [] }
        // Released after the maps were changed: an object that is destroyed leaves its map.
        withExtendedLifetime(objects) {}
    }

    /// Removes all objects and returns them: none of them may end before it was detached.
    ///
    /// The hierarchies stay, for a fetch that holds one and whose rows make the program call this.
    func removeAll() -> [ManagedObject] { hierarchies.flatMap { $0?.removeAll() ?? [] } }

    // MARK: Partial objects

    func noteParts() { hasParts = true }

    /// Returns a Boolean value that indicates whether partial objects may be registered, and clears it.
    func takeParts() -> Bool {
        defer { hasParts = false }
        return hasParts
    }

    // MARK: Loads

    var isLoading: Bool { loads > 0 }

    func beginLoad() { loads += 1 }

    /// Ends a load, and returns the objects that the outermost one filled, and those to turn into faults.
    func endLoad() -> (filled: [[ManagedObject]], toRefresh: [ManagedObject]) {
        loads -= 1
        guard loads == 0 else { return ([], []) }
        defer { (filled, toRefresh) = ([], []) }
        return (filled, toRefresh)
    }

    /// Records an object to turn into a fault at the end of the running loads.
    func noteToRefresh(_ object: ManagedObject) { toRefresh.append(object) }

    /// Records filled objects for the end of the running loads.
    func noteFilled(_ objects: [ManagedObject]) { filled.append(objects) }

    /// Removes filled objects that were restored to their former state.
    func forgetFilled(_ objects: [ManagedObject]) {
        let forgotten = Set(objects.map(ObjectIdentifier.init))
        filled = filled.map { $0.filter { !forgotten.contains(ObjectIdentifier($0)) } }
    }

    var isDecoding: Bool { decodings > 0 }

    /// Runs the decoding of a result, in which the context's connection is busy: many rows are decoded while
    /// the server sends them.
    func decoding<T>(_ body: () throws -> T) rethrows -> T {
        decodings += 1
        defer { decodings -= 1 }
        return try body()
    }

    // MARK: Fetched properties

    func fetchedObjects(of object: ManagedObject, _ name: String) -> [ManagedObject]? {
        fetchedObjects[ObjectIdentifier(object)]?[name]
    }

    func keep(_ found: [ManagedObject], of object: ManagedObject, _ name: String) {
        fetchedObjects[ObjectIdentifier(object), default: [:]][name] = found
    }

    func forgetFetchedObjects(of object: ManagedObject) {
        if fetchedObjects.isEmpty { return }
        // Released after the dictionary was changed: objects that are destroyed with it call this again.
        let former = fetchedObjects.removeValue(forKey: ObjectIdentifier(object))
        withExtendedLifetime(former) {}
    }

    func forgetFetchedObjects() {
        let former = fetchedObjects
        fetchedObjects = [:]
        withExtendedLifetime(former) {}
    }

    // MARK: Detached objects

    /// Returns the record that detached objects share, by which they find their former context.
    func detachment(from context: ManagedObjectContext) -> ChangeRecord {
        if let detachment { return detachment }
        let record = ChangeRecord(formerOwner: context)
        detachment = record
        return record
    }
}
