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
        try run(tables.creation + tables.rows(isStarted: isStarted))
        try grant()
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
                    "DROP FUNCTION IF EXISTS \(tables.signature(of: $0))"
                }
                + [
                    "DROP SEQUENCE IF EXISTS \(tables.number)",
                    StoreMetadata.historyUpdate(in: schemaName, to: false),
                ])
    }

    /// The tables, parts and indexes that are missing, by their names.
    ///
    /// - Throws: `PostgresError`.
    package static func missingTables(in schemaName: String, on connection: Connection) throws -> [String] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        func list(_ names: some Sequence<String>) -> String {
            "ARRAY[\(names.map { SQLLiteral.string($0) }.joined(separator: ", "))]::pg_catalog.text[]"
        }
        let names = list(HistoryTables.tableNames + HistoryTables.indexNames)
        let parts = list(HistoryTables.tableNames.suffix(HistoryTables.slots))
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
                    + "AND p.prosecdef AND p.prosrc = $2)", parameters, cached: false
            ).scalar { $0.bool } != true
        }
    }

    /// Creates missing functions and indexes, and replaces functions that are not as this version creates them.
    ///
    /// - Returns: The names of the functions and indexes.
    /// - Throws: `PostgresError`.
    package func restoreFunctions() throws -> [String] {
        let missing = try Self.missingTables(in: schemaName, on: connection)
        let indexes = tables.indexes.filter { missing.contains($0.name) }
        try run(indexes.map(\.creation))
        return try indexes.map(\.name) + restoreOnlyFunctions()
    }

    private func restoreOnlyFunctions() throws -> [String] {
        let wrong = try Self.wrong(tables, on: connection)
        if wrong.isEmpty { return [] }
        try run(wrong.flatMap(tables.creation))
        try grant(keepsPresent: true)
        try settle()
        return wrong.map { "\(HistoryTables.prefix)_\($0.rawValue)" }
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

    /// Gives the roles that write objects the rights to write history, and those that read the store the rights to read
    /// it. It revokes all other rights on the tables, such as those from default privileges.
    ///
    /// The history has values of all entities. Only roles that may read all objects get rights on it, and PUBLIC does not.
    ///
    /// - Parameter keepsPresent: Indicates whether other roles that may read or write history can go on to do so. The
    ///   owner has given these rights, unless the tables are new.
    /// - Throws: `PostgresError`.
    package func grant(keepsPresent: Bool = false) throws {
        let own = HistoryTables.tableNames + [HistoryTables.sequenceName]
        func present(_ right: String) throws -> [String] {
            keepsPresent ? try roles(with: [right], on: [HistoryTables.prefix]).filter { $0 != "PUBLIC" } : []
        }
        let (presentReaders, presentWriters) = (try present("SELECT"), try present("INSERT"))
        for (name, kind, role) in try grantees(of: own) {
            let place = "\(kind) \(SQLIdentifier.quoted(schemaName, name))"
            try run(["REVOKE ALL ON \(place) FROM \(role)"])
        }
        let readers = try readers(with: ["SELECT"], on: [StoreSchema.metadataTable])
        for role in Set(readers + presentReaders).sorted() {
            try run(tables.readingGrants(to: role))
        }
        let writers = try self.readers(with: ["INSERT", "UPDATE", "DELETE"], on: schema.tables.map(\.name))
        for role in Set(writers + presentWriters).sorted() {
            try run(tables.writingGrants(to: role))
        }
    }

    /// The roles, quoted, with one of some rights on one of some tables that may read the record and all objects.
    private func readers(with rights: [String], on names: [String]) throws -> [String] {
        let found = try roles(with: rights, on: names).filter { $0 != "PUBLIC" }
        if found.isEmpty { return [] }
        return try connection.query(
            """
            SELECT pg_catalog.quote_ident(r.rolname) FROM pg_catalog.pg_roles AS r
            WHERE pg_catalog.quote_ident(r.rolname) IN (\(Self.list(found))) AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname IN (\(Self.list([StoreSchema.metadataTable] + schema.tables.map(\.name))))
                    AND NOT pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT'))
            ORDER BY 1
            """, place, cached: false
        ).map { $0[0].string() }
    }

    /// The roles with one of some rights on one of some tables or their columns, quoted.
    private func roles(with rights: [String], on names: [String]) throws -> [String] {
        try connection.query(
            """
            SELECT DISTINCT COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC') FROM (
                SELECT c.relacl AS acl, c.relowner, c.relname, c.relnamespace FROM pg_catalog.pg_class c
                UNION ALL SELECT a.attacl, c.relowner, c.relname, c.relnamespace
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attacl IS NOT NULL
            ) AS t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(t.acl) AS x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND t.relname IN (\(Self.list(names))) AND x.privilege_type IN (\(Self.list(rights)))
                AND x.grantee <> t.relowner ORDER BY 1
            """, place, cached: false
        ).map { $0[0].string() }
    }

    /// The roles that have any right on some tables or sequences.
    private func grantees(of names: [String]) throws -> [(name: String, kind: String, role: String)] {
        try connection.query(
            """
            SELECT DISTINCT c.relname::pg_catalog.text, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC')
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(Self.list(names))) AND x.grantee <> c.relowner
            """, place, cached: false
        ).map { ($0[0].string(), $0[1].string(), $0[2].string()) }
    }

    /// Gives what this role has made to the owner of the store's record.
    private func settle() throws {
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

    private var place: Parameters {
        get throws {
            var parameters = Parameters()
            try parameters.append(schemaName)
            return parameters
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "NULL" : names.map { SQLLiteral.string($0) }.joined(separator: ", ")
    }

    private func run(_ statements: [String]) throws {
        for statement in statements { _ = try connection.query(statement, cached: false) }
    }
}
