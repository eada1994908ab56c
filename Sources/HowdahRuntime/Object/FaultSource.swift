/// Where faults get their rows from: the one honest cycle between objects and fetches, cut by a protocol.
///
/// None of these throws. A fault that cannot be filled marks the context as failed and leaves zero values.
protocol FaultSource: AnyObject {
    /// Fills the row of a fault, and of its cohort.
    func fulfill(_ object: ManagedObject)
    /// The destination of a to-one relationship whose key is known; a fault where it is not loaded.
    func destination(of object: ManagedObject, slot: Int, field: ToOneField) -> ManagedObject?
    /// The destination of a to-one relationship whose key is in the destination's table.
    func lookUpDestination(of object: ManagedObject, slot: Int) -> ToOneField
    /// Loads the members of a to-many relationship, and those of the cohort.
    func loadMembers(of object: ManagedObject, slot: Int, state: ToManyState)
    /// How many members the store holds, without loading them.
    func countMembers(of object: ManagedObject, slot: Int, state: ToManyState) -> Int
    /// Whether the store holds this member, without loading the others.
    func holdsMember(_ member: ManagedObject, of object: ManagedObject, slot: Int) -> Bool
    /// The objects that a fetched property finds.
    func fetchObjects(of property: FetchedProperty, for object: ManagedObject) -> [ManagedObject]
    /// Has fetched properties of an object fetch anew.
    func forgetFetchedObjects(of object: ManagedObject)
    /// Objects of an entity, all or some, as what they are.
    func typed<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object]
}
