/// A to-many kept by its owner's row with members, or an order, to store.
struct ListChange {
    let owner: ManagedObject
    let relationship: RelationshipLayout
    let state: _ToManyState
}
