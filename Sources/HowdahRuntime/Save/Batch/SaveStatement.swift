import PQClient

/// One statement of a save, and how many rows it must touch.
struct SaveStatement {
    let sql: String
    let parameters: Parameters
    /// The rows that must be there in the version that was read; nil where a miss means nothing.
    let guarded: Guarded?
    /// The derived values its result has; nil where it brings none.
    let readBack: ReadBack?
    /// The derived attributes it computes, and the rows it is known to compute them of.
    var derived: (group: DerivedGroup, keys: [Int64])?

    struct Guarded {
        let table: String
        let keys: [Int64]
    }

    init(
        _ sql: String, _ parameters: Parameters = Parameters(), guarded: Guarded? = nil,
        readBack: ReadBack? = nil
    ) {
        self.sql = sql
        self.parameters = parameters
        self.guarded = guarded
        self.readBack = readBack
    }
}

/// A COPY of many new rows, which cannot share a round trip with statements.
struct SaveCopy {
    let sql: String
    let insert: SavePlan.RowInsert
}

/// A stretch of a save that is sent at once.
enum SaveSegment {
    case statements([SaveStatement])
    case copy(SaveCopy)
}
