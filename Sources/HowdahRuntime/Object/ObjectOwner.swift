/// What an object asks of its context. Declared here, implemented by `ManagedObjectContext`, so that objects
/// know nothing of contexts, fetches and saves.
protocol ObjectOwner: FaultSource {
    /// The layouts of all entities, by place.
    var layouts: [EntityLayout] { get }
    /// A new object of a class, for `init(context:)`: its layout and a temporary key.
    func seed(for type: ManagedObject.Type) -> ObjectSeed
    /// The record that detached objects share, by which they find the context.
    var detachment: ChangeRecord { get }
    /// Fails the context: accessors cannot throw, so the next fetch, save or end of `perform` does.
    func fail(_ error: any Error)
    /// Whether what a change takes away must be known, because the change may be undone.
    var isUndoable: Bool { get }
    /// Whether changes are being taken back, which were looked up when they were made.
    var isReverting: Bool { get }
    /// Indicates whether a save that is under way inserts the row of a new object.
    func isArriving(_ object: ManagedObject) -> Bool
    /// Puts a new object among the inserted ones.
    func noteInsertion(_ object: ManagedObject)
    /// Puts a clean object among the updated ones, before its first change.
    func noteUpdate(_ object: ManagedObject)
    /// Keeps the value of a watched object's slot, before a change.
    func noteWrite(_ object: ManagedObject, _ slot: Int)
    /// Keeps the members of a watched object's ordered or bounded to-many, before a change.
    func noteListEdit(_ object: ManagedObject, _ state: ToManyState)
    /// Takes an object out of the identity map; called while it is being destroyed.
    func forget(_ object: ManagedObject)
    /// The registered object of a key, without any round trip.
    func registeredObject(root: Int, key: Int64) -> ManagedObject?
    /// The registered object of a key, or a new fault for it.
    func object(entity: Int, key: Int64) -> ManagedObject
    /// Records that a pair of a join table is to be made or removed, and whether that is known to be a difference.
    func noteLink(
        _ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool, isCertain: Bool)
    /// Finds out what a change of a pair comes to that was changed before; true where the two leave nothing.
    func clarifyLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) -> Bool
    /// A detached fault, returned if an object cannot be loaded or found.
    func placeholder(entity: Int) -> ManagedObject
    /// Remembers a to-many whose pending members become stored ones with the next save.
    func noteTouched(_ state: ToManyState)
    /// Records a new destination of an object's to-one.
    func noteReference(of object: ManagedObject, _ slot: Int, to destination: ManagedObject)
}
