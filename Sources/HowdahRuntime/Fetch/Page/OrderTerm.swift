import HowdahModel

/// One expression of an ORDER BY; a criterion of a request may take several.
struct OrderTerm {
    let sql: String
    let isAscending: Bool
    /// Whether it may be NULL, which sorts before everything else.
    let isNullable: Bool
    /// How the order is spelled, which indexes must have as well.
    let spelling: Spelling
    /// The place of its value in a cursor.
    let source: Int
    /// What a value goes through to be compared with the expression.
    let alike: @Sendable (String) -> String

    enum Spelling: Sendable {
        /// As every index of the store's own has it.
        case full
        /// Without a place for NULL, as the index of a uniqueness constraint has it.
        case plain
        /// The expression alone.
        case bare
    }

    /// The term as ORDER BY has it.
    var text: String {
        switch spelling {
        case .full: "\(sql) \(isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST")"
        case .plain: "\(sql) \(isAscending ? "ASC" : "DESC")"
        case .bare: sql
        }
    }
}

/// A value that a row's place in the order depends on, as cursors keep it.
struct OrderSource {
    let sql: String
    let type: StoreSchema.ColumnType
    /// The criterion, which a cursor must share with the request that it goes on with.
    let criterion: String

    /// The value in exactly the binary form that a parameter of its type has.
    var selected: String { "(\(sql))::pg_catalog.\(type.sqlName)" }
}
