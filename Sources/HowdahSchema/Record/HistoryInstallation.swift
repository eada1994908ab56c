package import HowdahModel
package import PQClient

/// Creates and removes the tables of a store's history, in a transaction of the caller as the store's owner.
package struct HistoryInstallation {
    private let connection: Connection
    private let schema: StoreSchema
    private let tables: HistoryTables

    /// Describes the history of the store with a schema.
    package init(of schema: StoreSchema, on connection: Connection) {
        self.connection = connection
        self.schema = schema
        tables = HistoryTables(in: schema.schemaName)
    }

    private var schemaName: String { schema.schemaName }

    /// Creates the tables and functions, grants rights on them to the roles that have rights on the store, and records the
    /// format. The store's record must exist.
    ///
    /// - Parameter isStarted: Indicates whether all programs write history from the beginning, as in a new store.
    /// - Throws: `PostgresError`, for example if the role is not the owner of the schema.
    package func make(isStarted: Bool) throws {
        // A role that may create functions could have made them before, and would stay their owner.
        try dropForeign(HistoryTables.Function.allCases)
        // Without its tables, it is left from another history.
        try run(["DROP SEQUENCE IF EXISTS \(tables.number)"])
        try run(tables.creation + tables.rows(isStarted: isStarted))
        try HistoryGrants(of: schema, on: connection).renew()
        try settle()
        try run([
            StoreMetadata.widening(in: schemaName), StoreMetadata.historyUpdate(in: schemaName, to: true),
        ])
    }

    /// Drops the tables and functions, and records the format of a store without history.
    ///
    /// - Throws: `PostgresError`.
    package func remove() throws {
        let names = HistoryTables.tableNames.map { SQLIdentifier.quoted(schemaName, $0) }
        // Some may be missing, or be no part of the table of all changes any more.
        try run(
            ["DROP TABLE IF EXISTS \(names.joined(separator: ", "))"]
                + HistoryTables.Function.allCases.map {
                    "DROP ROUTINE IF EXISTS \(tables.signature(of: $0))"
                }
                + [
                    "DROP SEQUENCE IF EXISTS \(tables.number)",
                    StoreMetadata.historyUpdate(in: schemaName, to: false),
                ])
    }

    /// The tables, parts, indexes and the sequence that are missing, by their names.
    ///
    /// - Throws: `PostgresError`.
    package static func missingTables(in schemaName: String, on connection: Connection) throws -> [String] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        let names = array(HistoryTables.tableNames + HistoryTables.mendedNames)
        let parts = array(HistoryTables.tableNames.suffix(HistoryTables.slots))
        return try connection.query(
            """
            SELECT w.name FROM pg_catalog.unnest(\(names)) AS w(name)
            LEFT JOIN (pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = $1)
                ON c.relname = w.name
            WHERE c.oid IS NULL OR w.name = ANY (\(parts)) AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits AS i
                JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent
                WHERE i.inhrelid = c.oid AND p.relnamespace = c.relnamespace
                    AND p.relname = \(SQLLiteral.string(HistoryTables.prefix)))
            ORDER BY 1
            """, parameters, cached: false
        ).map { $0[0].string() }
    }

    /// The functions that are missing, or not as this version of the library creates them, by their names.
    ///
    /// - Throws: `PostgresError`.
    package static func wrongFunctions(in schemaName: String, on connection: Connection) throws -> [String] {
        try wrong(HistoryTables(in: schemaName), on: connection).map {
            "\(HistoryTables.prefix)_\($0.rawValue)"
        }
    }

    private static func wrong(_ tables: HistoryTables, on connection: Connection) throws
        -> [HistoryTables.Function]
    {
        try HistoryTables.Function.allCases.filter { function in
            var parameters = Parameters()
            try parameters.append(tables.signature(of: function))
            try parameters.append(tables.body(of: function))
            return try connection.query(
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc AS p WHERE p.oid = pg_catalog.to_regprocedure($1) "
                    + "AND p.prosecdef AND p.provolatile = 'v' AND NOT p.proisstrict AND p.prosrc = $2 AND p.proacl IS NOT NULL AND p.proconfig = \(Self.array(tables.settings(of: function))) "
                    + "AND p.proowner IN (SELECT c.relowner FROM pg_catalog.pg_class AS c "
                    + "WHERE c.relnamespace = p.pronamespace "
                    + "AND c.relname = \(SQLLiteral.string(StoreSchema.metadataTable))))", parameters,
                cached: false
            ).scalar { $0.isTrue } != true
        }
    }

    /// Creates missing functions and indexes and a missing sequence, and replaces functions that are not as this version
    /// creates them.
    ///
    /// Rights on what exists stay as they are.
    ///
    /// - Returns: The names of what was created or replaced.
    /// - Throws: `PostgresError`.
    package func restoreFunctions() throws -> [String] {
        let missing = try Self.missingTables(in: schemaName, on: connection)
        let indexes = tables.indexes.filter { missing.contains($0.name) }
        try run(indexes.map(\.creation))
        var names = indexes.map(\.name)
        let grants = HistoryGrants(of: schema, on: connection)
        if missing.contains(HistoryTables.sequenceName) {
            try createSequence()
            try grants.grantSequence()
            names.append(HistoryTables.sequenceName)
        }
        let wrong = try Self.wrong(tables, on: connection)
        try dropForeign(wrong)
        let lacking = try wrong.filter { try !exists($0) }
        try run(wrong.flatMap(tables.creation))
        try grants.grant(lacking)
        try HistoryTriggers(of: schema, on: connection).revokeFunctions()
        names += wrong.map { "\(HistoryTables.prefix)_\($0.rawValue)" }
        if !names.isEmpty { try settle() }
        return names
    }

    /// Drops functions that another role than the owner of the store's record has. Replaced, they would stay that role's.
    private func dropForeign(_ functions: [HistoryTables.Function]) throws {
        let present = StoreFunctions(in: schemaName, on: connection)
        for function in functions { try present.dropForeign(tables.signature(of: function)) }
    }

    private static func array(_ texts: [String]) -> String {
        "ARRAY[\(texts.map { SQLLiteral.string($0) }.joined(separator: ", "))]::pg_catalog.text[]"
    }

    /// Indicates whether a function exists that has rights. Without any, as in a dump without rights, PUBLIC may call it.
    private func exists(_ function: HistoryTables.Function) throws -> Bool {
        var parameters = Parameters()
        try parameters.append(tables.signature(of: function))
        return try connection.query(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc AS p WHERE p.oid = pg_catalog.to_regprocedure($1) "
                + "AND p.proacl IS NOT NULL)", parameters, cached: false
        ).scalar { $0.isTrue } == true
    }

    /// Creates the sequence of numbers again, after those of the rows.
    ///
    /// Rows that had greater numbers may be gone, so it starts at the milliseconds since 1970, which no store has reached by
    /// counting.
    private func createSequence() throws {
        let start = try connection.query(
            "SELECT GREATEST(pg_catalog.max(h.\"number\") + 1::pg_catalog.int8, "
                + "(EXTRACT(epoch FROM pg_catalog.clock_timestamp()) * 1000::pg_catalog.numeric)::pg_catalog.int8) "
                + "FROM \(tables.history) AS h", cached: false
        ).scalar { $0.int64 }
        try run([tables.sequence(from: start ?? 1)])
    }

    /// Begins a new history: without changes, with another identity, and of the present cluster and database. The position of
    /// each consumer is kept, and expires with the identity.
    ///
    /// Rows that are missing, as in a dump without them, are inserted. The history counts from now.
    ///
    /// - Throws: `PostgresError`.
    package func reset() throws {
        // The history of an earlier version lacks the column.
        try run(["ALTER TABLE \(tables.state) ADD COLUMN IF NOT EXISTS \"table_oid\" pg_catalog.oid"])
        _ = try restoreFunctions()
        try run(["TRUNCATE \(tables.history)", "DELETE FROM \(tables.era)"])
        let rows = tables.rows(isStarted: true)
        try run(["\(rows[0]) ON CONFLICT DO NOTHING"])
        let state = try connection.query("SELECT 1 FROM \(tables.state)", cached: false)
        let isSet = "ALTER TABLE \(tables.state) ALTER COLUMN \"table_oid\" SET NOT NULL"
        guard state.rowCount == 0 else {
            return try run([
                """
                UPDATE \(tables.state) SET "incarnation" = pg_catalog.gen_random_uuid(),
                    "system_identifier" = \(HistoryTables.systemIdentifier), "database_oid" = \(HistoryTables.databaseIdentifier),
                    "table_oid" = tableoid,
                    "purged_txid" = '0', "purged_at" = pg_catalog.pg_current_snapshot(),
                    "deleted" = pg_catalog.pg_current_snapshot(), "heartbeat" = pg_catalog.pg_current_snapshot(),
                    "heartbeat_lsn" = pg_catalog.pg_current_wal_insert_lsn(),
                    "heartbeat_era" = \(HistoryTables.eraExpression), "heartbeat_at" = pg_catalog.clock_timestamp(),
                    "closed_at" = \(HistoryTables.nothingClosed)
                """, isSet,
            ])
        }
        // A dump has the triggers, perhaps without the row that says which there must be.
        let (isGuarded, tracked) = try HistoryTriggers(of: schema, on: connection).found()
        try run([rows[1]])
        let names = tracked.map { SQLLiteral.string($0) }.joined(separator: ", ")
        try run([
            "UPDATE \(tables.state) SET \"is_guarded\" = \(SQLLiteral.boolean(isGuarded)), "
                + "\"is_tracked\" = \(SQLLiteral.boolean(!tracked.isEmpty)), \"tracked\" = ARRAY[\(names)]::pg_catalog.text[]",
            isSet,
        ])
    }

    /// Gives what this role has made to the owner of the store's record.
    private func settle() throws {
        var place = Parameters()
        try place.append(schemaName)
        let owner = try connection.query(
            """
            SELECT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner))
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = \(SQLLiteral.string(StoreSchema.metadataTable))
                AND pg_catalog.pg_get_userbyid(c.relowner) <> current_user
            """, place, cached: false
        ).map { $0[0].string() }.first
        guard let owner else { return }
        try run(
            HistoryTables.tableNames.map {
                "ALTER TABLE \(SQLIdentifier.quoted(schemaName, $0)) OWNER TO \(owner)"
            } + ["ALTER SEQUENCE \(tables.number) OWNER TO \(owner)"]
                + HistoryTables.Function.allCases.map {
                    "ALTER FUNCTION \(tables.signature(of: $0)) OWNER TO \(owner)"
                })
    }

    private func run(_ statements: [String]) throws {
        for statement in statements { _ = try connection.query(statement, cached: false) }
    }
}
