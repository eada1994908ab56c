/// A to-many kept by its owner's row whose members, or their order, are to be stored.
struct ListChange {
    let owner: ManagedObject
    let relationship: RelationshipLayout
    let state: ToManyState
}
