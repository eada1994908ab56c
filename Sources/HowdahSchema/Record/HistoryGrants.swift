package import HowdahModel
package import PQClient

/// The rights of roles on a store's history, in a transaction of the caller as the store's owner.
///
/// The history has values of all entities. Only roles that may read all objects get rights on it, and PUBLIC does not.
package struct HistoryGrants {
    private let connection: Connection
    private let schema: StoreSchema
    private let tables: HistoryTables

    /// Describes the rights on the history of the store with a schema.
    package init(of schema: StoreSchema, on connection: Connection) {
        self.connection = connection
        self.schema = schema
        tables = HistoryTables(in: schema.schemaName)
    }

    private var schemaName: String { schema.schemaName }

    /// Gives the roles that write objects the rights to write history, and those that read the store the rights to read
    /// it. It revokes all other rights, such as those from default privileges.
    ///
    /// - Throws: `PostgresError`.
    package func renew() throws {
        for (name, kind, role) in try grantees(of: HistoryTables.tableNames + [HistoryTables.sequenceName]) {
            let place = "\(kind) \(SQLIdentifier.quoted(schemaName, name))"
            try run(["REVOKE ALL ON \(place) FROM \(role) CASCADE"])
        }
        for function in HistoryTables.Function.allCases { try revoke(function) }
        for role in try readers(with: ["SELECT"], on: [StoreSchema.metadataTable]) {
            try run(tables.readingGrants(to: role))
        }
        for role in try readers(with: ["INSERT", "UPDATE", "DELETE"], on: schema.tables.map(\.name)) {
            try run(tables.writingGrants(to: role))
        }
    }

    /// Lets the roles that write history call some functions, and no others.
    ///
    /// - Throws: `PostgresError`.
    func grant(_ functions: [HistoryTables.Function]) throws {
        let writers = try roles(with: ["INSERT"], on: [HistoryTables.prefix], columns: false)
        for function in functions {
            try revoke(function)
            guard function.isForPrograms else { continue }
            try run(
                writers.map { "GRANT EXECUTE ON FUNCTION \(tables.signature(of: function)) TO \($0)" })
        }
    }

    /// Lets the roles that write history use the sequence of its numbers, and no others.
    ///
    /// - Throws: `PostgresError`.
    func grantSequence() throws {
        for (_, _, role) in try grantees(of: [HistoryTables.sequenceName]) {
            try run(["REVOKE ALL ON SEQUENCE \(tables.number) FROM \(role) CASCADE"])
        }
        let writers = try roles(with: ["INSERT"], on: [HistoryTables.prefix], columns: false)
        try run(writers.map { "GRANT USAGE ON SEQUENCE \(tables.number) TO \($0)" })
    }

    private func revoke(_ function: HistoryTables.Function) throws {
        try StoreFunctions(in: schemaName, on: connection).revoke(tables.signature(of: function))
    }

    /// The roles, quoted, with one of some rights on one of some tables that may read the record and all objects.
    ///
    /// Row level security hides objects from a role, whatever its rights are. Members of a superuser do not have its
    /// attributes, so it is judged by the rights that were given to it.
    private func readers(with rights: [String], on names: [String]) throws -> [String] {
        let found = try roles(with: rights, on: names, columns: true).filter { $0 != "PUBLIC" }
        if found.isEmpty { return [] }
        return try connection.query(
            """
            SELECT pg_catalog.quote_ident(r.rolname) FROM pg_catalog.pg_roles AS r
            WHERE pg_catalog.quote_ident(r.rolname) IN (\(Self.list(found))) AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname IN (\(Self.list([StoreSchema.metadataTable] + schema.tables.map(\.name))))
                    AND (NOT \(Self.mayRead) OR \(Self.isRestricted)))
            ORDER BY 1
            """, place, cached: false
        ).map { $0[0].string() }
    }

    /// An SQL condition: the role `r` was given the right to read the table `c`.
    package static let mayRead = given("SELECT", on: "c")

    /// Returns an SQL condition: the role `r` was given a right on a table. It is NULL for PUBLIC.
    ///
    /// A superuser has all rights, and its members have those that were given to it.
    package static func given(_ right: String, on table: String) -> String {
        "CASE WHEN r.rolsuper AND EXISTS (SELECT FROM pg_catalog.pg_auth_members AS b WHERE b.roleid = r.oid) "
            + "THEN EXISTS (SELECT FROM pg_catalog.aclexplode(\(table).relacl) AS a "
            + "WHERE a.privilege_type = \(SQLLiteral.string(right)) AND a.grantee IN (r.oid, 0)) "
            + "ELSE pg_catalog.has_table_privilege(r.oid, \(table).oid, \(SQLLiteral.string(right))) END"
    }

    /// An SQL condition: row level security restricts the role `r`, or its members, on the table `c`.
    ///
    /// Members have the rights of a role, and not its attributes.
    package static let isRestricted =
        "(c.relrowsecurity AND (NOT r.rolsuper AND NOT r.rolbypassrls "
        + "OR EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m WHERE m.roleid = r.oid)) "
        + "AND (c.relforcerowsecurity OR NOT pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE')))"

    /// The roles with one of some rights on one of some tables, and if wanted on their columns; quoted.
    private func roles(with rights: [String], on names: [String], columns: Bool) throws -> [String] {
        let ofColumns = """
            UNION ALL SELECT a.attacl, c.relowner, c.relname, c.relnamespace
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attacl IS NOT NULL
            """
        return try connection.query(
            """
            SELECT DISTINCT COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC') FROM (
                SELECT c.relacl AS acl, c.relowner, c.relname, c.relnamespace FROM pg_catalog.pg_class c
                \(columns ? ofColumns : "")
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
