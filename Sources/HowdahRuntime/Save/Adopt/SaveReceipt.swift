/// What a save stored, for the context to adopt.
struct SaveReceipt {
    let changes: ChangeSet
    let settled: SettledChanges
    let orders: ListOrders
    let keys: NewKeys
    /// What the store computed for objects of this save and others.
    var derived: [ReadBack.Row] = []
    /// Whether what the store computed got lost with the answer to a COMMIT that was carried out.
    var lacksDerived = false
}
