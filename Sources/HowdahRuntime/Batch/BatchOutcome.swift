import HowdahModel

/// The outcome of a batch request, by keys, for its result and for notices.
struct BatchOutcome {
    /// Rows of one hierarchy, with their entities' stored names if these differ.
    struct Rows {
        let layout: EntityLayout
        var keys: [Int64]
        var names: [String]?

        func ids<Object>(_ range: Range<Int>? = nil) -> [ObjectID<Object>] {
            let range = range ?? keys.indices
            return range.map { index in
                ObjectID(
                    storeIdentifier: layout.storeIdentifier, entityName: names?[index] ?? layout.storedName,
                    key: keys[index])
            }
        }
    }

    var insertedCount = 0
    var updatedCount = 0
    var skippedCount = 0
    var refused: [RefusedRow] = []
    var insertedKeys: [Int64] = []
    var updatedKeys: Set<Int64> = []
    /// Rows that changed as effects of the request: versions of owners, derived attributes.
    var followers: [Rows] = []
}
