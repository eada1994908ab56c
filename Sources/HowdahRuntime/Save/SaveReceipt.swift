/// What a save stored, for the context to adopt.
struct SaveReceipt {
    let settled: SettledChanges
    let keys: NewKeys
}
