internal import HowdahSchema
internal import PQClient

extension MigrationStep.Check {
    /// The fault with examples and the remedy; nil if nothing was found.
    ///
    /// - Parameters:
    ///   - found: keys of objects, each with the number of all, and with its entity if the look is at several.
    ///   - aftermath: the state of the store, as a sentence without its end; nil to leave it out.
    func violation(_ found: QueryResult, aftermath: String? = nil) -> String? {
        let namesEntities = found.columnCount > 2
        let objects = found.map { row in
            (entity: namesEntities ? row[2].string() : nil, key: row[0].int64, count: row[1].int64)
        }
        return objects.first.map {
            message(objects.map { ($0.entity, $0.key) }, of: $0.count, aftermath: aftermath)
        }
    }
}

extension MigrationStep {
    static let refusalsOfRows: Set<String> = [
        SQLState.uniqueViolation, SQLState.checkViolation, SQLState.notNullViolation,
        SQLState.foreignKeyViolation, SQLState.exclusionViolation,
    ]

    /// What the server refused because of the rows, with examples where the step can look for them.
    ///
    /// - Throws: `PostgresError`.
    func refusal(_ error: PostgresError, on connection: Connection) throws -> String {
        let message = "\(reason): rows of the store violate this rule"
        guard let check, let violationQuery else {
            // Of a rule other than the step's own, which rows that are written have to keep by now.
            // The server's detail has values of the row.
            let rows = try (error.constraint).flatMap {
                try Self.rows(breaking: $0, of: error, on: connection)
            }
            return message + ": \(error.message)" + (rows.map { " (\($0))" } ?? "") + ". \(Self.remedyOfRows)"
        }
        return try check.violation(connection.query(violationQuery, cached: false))
            ?? "\(message). \(Self.remedyOfRows)"
    }

    private static let remedyOfRows = "Correct these rows in the store."

    /// The keys of rows that break a check, and how many there are; nil if that cannot be told.
    private static func rows(
        breaking constraint: String, of error: PostgresError, on connection: Connection
    ) throws -> String? {
        guard let schema = error.schema, let table = error.table else { return nil }
        var names = Parameters()
        for name in [schema, table, constraint] { try names.append(name) }
        let found = try connection.query(
            """
            SELECT pg_catalog.pg_get_expr(c.conbin, c.conrelid), pg_catalog.quote_ident(a.attname)
            FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
            JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
            JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
            WHERE n.nspname = $1 AND t.relname = $2 AND c.conname = $3 AND c.contype = 'c'
            """, names, cached: false
        ).map { (rule: $0[0].string(), key: $0[1].string()) }.first
        guard let found else { return nil }
        let keys = try connection.query(
            "SELECT \(found.key)::pg_catalog.text, pg_catalog.count(*) OVER ()::pg_catalog.text "
                + "FROM \(SQLIdentifier.quoted(schema, table)) WHERE NOT (\(found.rule)) ORDER BY \(found.key) LIMIT 3",
            cached: false
        ).map { ($0[0].string(), $0[1].string()) }
        guard let count = keys.first?.1 else { return nil }
        let examples = keys.map { "\(table) \($0.0)" }.joined(separator: ", ")
        return "\(count) \(count == "1" ? "row" : "rows"): \(examples)"
            + (String(keys.count) == count ? "" : ", …")
    }
}
