/// The source of faults' rows: a protocol that breaks the only real cycle between objects and fetches.
///
/// None of these calls throws. If a fault cannot be filled, the context is marked as failed and the fault has
/// zero values.
protocol FaultSource: AnyObject {
    /// Fills the row of a fault, and of its cohort.
    func fulfill(_ object: ManagedObject)
    /// Returns the destination of a to-one relationship with a known key; a fault if it is not loaded.
    func destination(of object: ManagedObject, slot: Int, field: _ToOneField) -> ManagedObject?
    /// Looks up the destination of a to-one relationship whose key is in the destination's table.
    func lookUpDestination(of object: ManagedObject, slot: Int) -> _ToOneField
    /// Loads the members of a to-many relationship, and those of the cohort.
    func loadMembers(of object: ManagedObject, slot: Int, state: _ToManyState)
    /// Returns the number of members in the store, without loading them.
    func countMembers(of object: ManagedObject, slot: Int, state: _ToManyState) -> Int
    /// Returns a Boolean value that indicates whether the store has this member, without loading the others.
    func holdsMember(_ member: ManagedObject, of object: ManagedObject, slot: Int) -> Bool
    /// Returns the objects that a fetched property finds.
    func fetchObjects(of property: FetchedProperty, for object: ManagedObject) -> [ManagedObject]
    /// Makes fetched properties of an object fetch again.
    func forgetFetchedObjects(of object: ManagedObject)
    /// Returns objects of an entity, all or some, as the requested type.
    func typed<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object]
}
