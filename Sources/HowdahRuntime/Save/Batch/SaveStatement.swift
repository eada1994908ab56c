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
    /// The operation and the table, for observers; nil if the statement is none on a table.
    private(set) var subject: StatementSubject?
    /// The derived attributes that it computes, and the keys of the changed rows by the steps of their path.
    var derived: (group: DerivedGroup, keys: [Set<Int64>])?
    /// The columns that an update of one row writes, which know its text with a token; nil for other statements.
    let written: WrittenColumns?

    struct Guarded {
        let table: String
        let keys: [Int64]
    }

    init(
        _ sql: String, _ parameters: Parameters = Parameters(), guarded: Guarded? = nil,
        readBack: ReadBack? = nil, need: NeededRight? = nil, about subject: StatementSubject? = nil,
        written: WrittenColumns? = nil
    ) {
        self.sql = sql
        self.parameters = parameters
        self.guarded = guarded
        self.readBack = readBack
        self.need = need
        self.subject = subject
        self.written = written
    }
}

extension SaveStatement {
    /// Returns the statement with an operation and a table for observers.
    func about(_ subject: StatementSubject) -> SaveStatement {
        var statement = self
        statement.subject = subject
        return statement
    }

    /// Creates a statement that only controls the transaction.
    init(controlling sql: String, _ operation: StatementSubject.Operation = .transaction) {
        self.init(sql, about: StatementSubject(operation))
    }

    /// Returns the statement with a comment after its text, which names the call site.
    ///
    /// Statements that only control the transaction have it for observers alone.
    func tagged(_ comment: String) -> SaveStatement {
        var statement = self
        if subject?.isControl != true { statement.sql += comment }
        statement.subject = subject?.tagged(comment)
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
