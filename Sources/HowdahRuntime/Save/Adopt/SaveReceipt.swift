/// The stored changes of a save, for the context to adopt.
///
/// It is a class because it goes through all stages: as a struct, each copy would count two dozen references.
final class SaveReceipt {
    let changes: ChangeSet
    let settled: SettledChanges
    let orders: ListOrders
    let keys: NewKeys
    /// The rows that the save changes; nil if neither listeners nor the history need them.
    var stored: StoredChanges?
    /// The values that the store computed for objects of this save and others.
    var derived: [ReadBack.Row] = []
    /// A Boolean value that indicates whether computed values were lost with the answer to a successful
    /// COMMIT.
    var lacksDerived = false

    init(changes: ChangeSet, settled: SettledChanges, orders: ListOrders, keys: NewKeys) {
        self.changes = changes
        self.settled = settled
        self.orders = orders
        self.keys = keys
    }
}
