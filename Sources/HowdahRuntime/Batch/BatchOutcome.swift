import HowdahModel

/// The outcome of a batch request, by keys, for its result and for notices.
struct BatchOutcome {
    /// Rows of one hierarchy, with their entities' stored names if these differ.
    struct Rows {
        let layout: EntityLayout
        var keys: [Int64]
        var names: [String]?
        /// The properties that changed in rows that follow others.
        var slots = SlotSet()

        func ids<Object>(_ range: Range<Int>? = nil) -> [ObjectID<Object>] {
            let range = range ?? keys.indices
            return range.map { index in
                ObjectID(
                    storeIdentifier: layout.storeIdentifier, entityName: names?[index] ?? layout.storedName,
                    key: keys[index])
            }
        }
    }

    /// The number of rows that an update or a deletion wrote.
    var count = 0
    var insertedCount = 0
    var updatedCount = 0
    var skippedCount = 0
    var refused: [RefusedRow] = []
    var insertedKeys: [Int64] = []
    /// The keys of new rows, in a form that needs little memory for many of them.
    var insertedRuns = KeyRuns()
    var updatedKeys: Set<Int64> = []
    /// The owners that rows had before an insertion met them.
    var formerOwners = StoredChanges()
    /// Rows that changed as effects of the request: versions of owners, derived attributes.
    var followers: [Rows] = []
    /// Rows that lost a destination by a deletion, if listeners need them.
    var cleared: [Rows] = []
}
