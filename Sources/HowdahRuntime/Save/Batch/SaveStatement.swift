import PQClient

/// One statement of a save, and the number of rows that it must touch.
struct SaveStatement {
    private(set) var sql: String
    let parameters: Parameters
    /// The rows that must exist in the version that was read; nil if missing rows are acceptable.
    let guarded: Guarded?
    /// The derived values in its result; nil if it returns none.
    let readBack: ReadBack?
    /// The right that the role may lack for it; nil if the statement needs several.
    let need: NeededRight?
    /// The derived attributes that it computes, and the keys of the changed rows by the steps of their path.
    var derived: (group: DerivedGroup, keys: [Set<Int64>])?

    struct Guarded {
        let table: String
        let keys: [Int64]
    }

    init(
        _ sql: String, _ parameters: Parameters = Parameters(), guarded: Guarded? = nil,
        readBack: ReadBack? = nil, need: NeededRight? = nil
    ) {
        self.sql = sql
        self.parameters = parameters
        self.guarded = guarded
        self.readBack = readBack
        self.need = need
    }

    /// Returns the statement with a comment after its text, which names the call site.
    func tagged(_ comment: String) -> SaveStatement {
        var statement = self
        statement.sql += comment
        return statement
    }
}

/// A COPY of many new rows, which cannot share a round trip with statements.
struct SaveCopy {
    let sql: String
    let insert: SavePlan.RowInsert
}

/// A part of a save that is sent at once.
enum SaveSegment {
    case statements([SaveStatement])
    case copy(SaveCopy)
}
