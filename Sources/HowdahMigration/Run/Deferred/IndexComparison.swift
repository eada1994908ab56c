internal import HowdahSchema
internal import PQClient

/// The comparison of an index with the one that a pending step makes. Another program may have one of the same name.
struct IndexComparison {
    let connection: Connection
    let schemaName: String
    let step: MigrationStep

    /// The fault and the remedy if the index is of another program.
    var message: String {
        "\(step.reason): another index has the name \"\(index ?? "")\" already. Rename or drop that index."
    }

    private var index: String? { if case .index(let name) = step.work { name } else { nil } }

    /// Indicates whether an index is valid; nil if there is none of that name.
    ///
    /// - Throws: `PostgresError`.
    static func isValid(_ index: String, in schemaName: String, on connection: Connection) throws -> Bool? {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(index)
        return try connection.query(
            "SELECT i.indisvalid FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2", parameters, cached: false
        ).map { $0[0].isTrue }.first
    }

    /// Indicates whether a valid index has the name of the step's, and another definition.
    ///
    /// In an open transaction. Makes the index of an empty copy of the table for comparison, and removes both again.
    /// - Throws: `PostgresError`.
    func isForeign() throws -> Bool {
        guard let index, let table = step.tables.first, let statement = step.statements.first,
            try Self.isValid(index, in: schemaName, on: connection) == true
        else { return false }
        try connection.savepoint("howdah_index")
        let isSame = try isSame(index, of: table, as: statement)
        try connection.rollback(toSavepoint: "howdah_index")
        return !isSame
    }

    private func isSame(_ index: String, of name: String, as statement: String) throws -> Bool {
        let (table, copy) = (SQLIdentifier.quoted(schemaName, name), "_howdah_index_copy")
        let start = "INDEX CONCURRENTLY \(SQLIdentifier.quoted(index)) ON \(table) "
        let place = SQLIdentifier.quoted(schemaName, copy)
        let creation = statement.replacing(
            start, with: "INDEX \(copy)_idx ON \(place) ", maxReplacements: 1)
        _ = try connection.query("CREATE TABLE \(place) (LIKE \(table))", cached: false)
        _ = try connection.query(creation, cached: false)
        var names = Parameters()
        for name in [schemaName, name, index, copy] { try names.append(name) }
        return try connection.query(
            """
            SELECT pg_catalog.count(*) = 2 AND pg_catalog.count(DISTINCT d.definition) = 1
            FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
            JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
            CROSS JOIN LATERAL (SELECT pg_catalog.to_jsonb(i) - ARRAY['indexrelid', 'indrelid', 'indkey', 'indexprs',
                    'indpred', 'indisclustered', 'indisreplident', 'indcheckxmin']
                || pg_catalog.jsonb_build_object('method', c.relam, 'rows', pg_catalog.pg_get_expr(i.indpred, i.indrelid),
                    'columns', ARRAY(SELECT pg_catalog.pg_get_indexdef(i.indexrelid, k, FALSE)
                        FROM pg_catalog.generate_series(1, i.indnatts) AS k)) AS definition) AS d
            WHERE n.nspname = $1 AND (t.relname = $2 AND c.relname = $3 OR t.relname = $4)
            """, names, cached: false
        ).map { $0[0].isTrue }.first ?? false
    }
}
