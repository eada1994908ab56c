/// The interface of an object's context. `ManagedObjectContext` implements it.
///
/// It is declared here so that objects do not depend on contexts, fetches and saves.
protocol ObjectOwner: FaultSource {
    /// The layouts of all entities, by position.
    var layouts: [EntityLayout] { get }
    /// Returns the seed of a new object of a class, for `init(context:)`: its layout and a temporary key.
    func seed(for type: ManagedObject.Type) -> _ObjectSeed
    /// The record that detached objects share, by which they find the context.
    var detachment: ChangeRecord { get }
    /// Fails the context. Accessors cannot throw, so the next fetch, save or end of `perform` does.
    func fail(_ error: any Error)
    /// A Boolean value that indicates whether changes may be undone, so that former values must be known.
    var isUndoable: Bool { get }
    /// A Boolean value that indicates whether changes are being reverted, whose former values are known.
    var isReverting: Bool { get }
    /// Returns a Boolean value that indicates whether a running save inserts the row of a new object.
    func isArriving(_ object: ManagedObject) -> Bool
    /// Records a new object as inserted.
    func noteInsertion(_ object: ManagedObject)
    /// Records a clean object as updated, before its first change.
    func noteUpdate(_ object: ManagedObject)
    /// Records the value of a watched object's slot, before a change.
    func noteWrite(_ object: ManagedObject, _ slot: Int)
    /// Records the members of a watched object's ordered or bounded to-many, before a change.
    func noteListEdit(_ object: ManagedObject, _ state: _ToManyState)
    /// Removes an object from the identity map; called while it is being destroyed.
    func forget(_ object: ManagedObject)
    /// Returns the registered object of a key, without any round trip.
    func registeredObject(root: Int, key: Int64) -> ManagedObject?
    /// Returns the registered object of a key, or a new fault for it.
    func object(entity: Int, key: Int64) -> ManagedObject
    /// Records a pair of a join table to add or remove, and if it is certain to be a change.
    func noteLink(
        _ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool, isCertain: Bool)
    /// Determines the effect of a second change of a pair; true if the two changes leave none.
    func clarifyLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) -> Bool
    /// Returns a detached fault for an object that cannot be loaded or found.
    func placeholder(entity: Int) -> ManagedObject
    /// Records a to-many whose pending members become stored ones with the next save.
    func noteTouched(_ state: _ToManyState)
    /// Records a new destination of an object's to-one.
    func noteReference(of object: ManagedObject, _ slot: Int, to destination: ManagedObject)
}
