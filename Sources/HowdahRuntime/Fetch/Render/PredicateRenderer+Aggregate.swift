import HowdahModel

/// Functions of all members of a collection.
extension PredicateRenderer {
    /// Renders a function of members. NULL members are only counted. Without a collection, the result is
    /// NULL.
    mutating func gathered(
        _ function: PredicateTree.Function, _ source: MemberSource, presence: String? = nil
    ) throws -> ResolvedOperand {
        let presence = presence ?? source.presence
        let result = try aggregate(function, source)
        guard let presence else { return .column(result) }
        return .column(
            result.computed(
                "(CASE WHEN \(presence) IS NOT NULL THEN \(result.sql) END)", result.type, isNullable: true))
    }

    private mutating func aggregate(
        _ function: PredicateTree.Function, _ source: MemberSource
    ) throws -> ResolvedColumn {
        let name = "\(source).\(function.rawValue)"
        if function == .count {
            if case .elements(let column) = source {
                return ResolvedColumn(
                    sql: "pg_catalog.cardinality(\(column.sql))", type: .int4, isNullable: column.isNullable,
                    name: name)
            }
            let open = try open(source)
            return ResolvedColumn(
                sql: "(SELECT pg_catalog.count(*)\(open.clause()))", type: .int8, isNullable: false,
                name: name)
        }
        let open = try open(source)
        let value: ResolvedColumn
        switch open.value {
        case .column(let column) where column.type.element == nil: value = column
        default:
            throw PredicateTreeError(
                .argumentType,
                "\(function.rawValue) needs an attribute, and \(source) does not end at an attribute. Name an "
                    + "attribute of the members."
            )
        }
        func text(_ sql: String) -> String { "(SELECT \(sql)\(open.clause()))" }
        if function == .min || function == .max {
            let word = function == .min ? "min" : "max"
            let (sql, type) = try ordered(value, function)
            return ResolvedColumn(
                sql: text("pg_catalog.\(word)(\(sql))"), type: type, isNullable: true, name: name)
        }
        guard let rank = value.numberRank else { throw value.needsNumber(function) }
        let number = value.number(rank)
        let isSum = function == .sum
        let type: StoreSchema.ColumnType =
            rank == 0 ? (isSum ? .int8 : .float8) : rank == 1 ? .numeric : .float8
        let sql: String
        switch (rank, isSum) {
        case (0, true): sql = SQLArithmetic.whole(text("coalesce(pg_catalog.sum(\(number)), 0)::numeric"))
        case (0, false):
            sql = SQLArithmetic.fenced(
                [
                    "(SELECT ARRAY[pg_catalog.sum(\(number))::numeric, pg_catalog.count(\(number))]\(open.clause()))"
                ],
                "CASE WHEN x.a[1] BETWEEN \(SQLArithmetic.wholes) THEN x.a[1]::float8 / x.a[2]::float8 END")
        case (1, true): sql = SQLArithmetic.decimal(text("coalesce(pg_catalog.sum(\(number)), 0)"))
        case (1, false):
            sql = SQLArithmetic.decimal(
                text(
                    SQLArithmetic.quotient(
                        "pg_catalog.sum(\(number))", "pg_catalog.count(\(number))::numeric")))
        case (_, true):
            sql = text(
                "CASE WHEN coalesce(pg_catalog.max(pg_catalog.abs(\(number))), 0) <= '1e290' THEN coalesce(pg_catalog.sum(\(number) ORDER BY \(number)) "
                    + "FILTER (WHERE pg_catalog.abs(\(number)) <= '1e290'), 0) END")
        case (_, false):
            sql = SQLArithmetic.fenced(
                [
                    "(SELECT ARRAY[pg_catalog.sum(\(number) ORDER BY \(number)) FILTER (WHERE pg_catalog.abs(\(number)) <= '1e290'), "
                        + "pg_catalog.max(pg_catalog.abs(\(number))), pg_catalog.count(\(number))]\(open.clause()))"
                ],
                "CASE WHEN x.a[2] <= '1e290' AND (x.a[1] = '0' OR pg_catalog.abs(x.a[1]) >= '1e-290') THEN x.a[1] / x.a[3] END"
            )
        }
        return ResolvedColumn(sql: sql, type: type, isNullable: true, name: name)
    }

    /// Returns a column for `min` and `max`.
    private func ordered(
        _ column: ResolvedColumn, _ function: PredicateTree.Function
    ) throws -> (sql: String, type: StoreSchema.ColumnType) {
        switch column.type {
        case .text: return (column.ordered.sql, .text)
        case .timestamptz, .numeric: return (column.sql, column.type)
        default:
            guard let rank = column.numberRank else {
                throw PredicateTreeError(
                    .argumentType,
                    "\(column.name) is not a number, date or string, and \(function.rawValue) needs one. Name an "
                        + "attribute with numbers, dates or strings."
                )
            }
            return (column.number(rank), rank == 0 ? .int8 : .float8)
        }
    }
}
