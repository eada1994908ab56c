import HowdahModel

/// One expression of an ORDER BY; a criterion of a request may take several.
struct OrderTerm {
    let sql: String
    let isAscending: Bool
    /// A Boolean value that indicates whether it may be NULL, which sorts before all other values.
    let isNullable: Bool
    /// The spelling of the order, which indexes must have as well.
    let spelling: Spelling
    /// The position of its value in a cursor.
    let source: Int
    /// The SQL that makes a value comparable with the expression.
    let alike: @Sendable (String) -> String

    enum Spelling: Sendable {
        /// The spelling of all indexes of the store.
        case full
        /// Without a position for NULL, as in the index of a uniqueness constraint.
        case plain
        /// The expression alone.
        case bare
    }

    /// The term in the form of ORDER BY.
    var text: String {
        switch spelling {
        case .full: "\(sql) \(isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST")"
        case .plain: "\(sql) \(isAscending ? "ASC" : "DESC")"
        case .bare: sql
        }
    }

    /// The term in the opposite direction.
    var reversed: OrderTerm {
        OrderTerm(
            sql: sql, isAscending: !isAscending, isNullable: isNullable,
            spelling: spelling == .bare ? .plain : spelling, source: source, alike: alike)
    }
}

/// A value that determines a row's position in the order, as cursors contain it.
struct OrderSource {
    let sql: String
    let type: StoreSchema.ColumnType
    /// The criterion, which a cursor must share with the request that uses it.
    let criterion: String

    /// The value in exactly the binary form of a parameter of its type.
    var selected: String { "(\(sql))::pg_catalog.\(type.sqlName)" }
}
