internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// The rights that a role lacks to read objects, or to read and write them. It makes no tables.
struct RoleGrants {
    let findings: [StoreFinding]

    /// - Throws: `PostgresError`.
    init(role: String, onlyReads: Bool, schema: StoreSchema, on connection: Connection) throws {
        var parameters = Parameters()
        try parameters.append(role)
        try parameters.append(schema.schemaName)
        let known = try connection.query(
            "SELECT r.rolsuper, pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE'), "
                + "pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE') "
                + "FROM pg_catalog.pg_roles r, pg_catalog.pg_namespace n WHERE r.rolname = $1 AND n.nspname = $2",
            parameters, cached: false
        ).map { ($0[0].isTrue, $0[1].isTrue, $0[2].isTrue) }
        guard let (isSuper, canUse, canCreate) = known.first else {
            findings = [
                StoreFinding(
                    "grants", .problem, "the role \(role) does not exist", remedy: "Run CREATE ROLE … LOGIN.")
            ]
            return
        }
        let name = SQLIdentifier.quoted(role)
        var missing =
            canUse ? [] : ["GRANT USAGE ON SCHEMA \(SQLIdentifier.quoted(schema.schemaName)) TO \(name)"]
        missing += try Self.missing(of: role, onlyReads, name, schema, connection)
        var findings: [StoreFinding] = []
        if isSuper || canCreate {
            findings.append(
                StoreFinding(
                    "grants", .note,
                    isSuper
                        ? "\(role) is a superuser, with more rights than programs need"
                        : "\(role) can create tables in the schema, which programs do not need",
                    remedy: isSuper
                        ? "Connect programs as a role that is not a superuser."
                        : "Revoke CREATE on the schema from the role, or from PUBLIC."))
        }
        findings.append(
            missing.isEmpty
                ? StoreFinding("grants", .ok, "\(role) can read \(onlyReads ? "" : "and write ")all objects")
                : StoreFinding(
                    "grants", .problem,
                    "\(role) lacks \(missing.count) \(missing.count == 1 ? "grant" : "grants")",
                    remedy: missing.joined(separator: "; ")))
        self.findings = findings
    }

    private static func missing(
        of role: String, _ onlyReads: Bool, _ name: String, _ schema: StoreSchema, _ connection: Connection
    ) throws -> [String] {
        var missing: [String] = []
        var parameters = Parameters()
        try parameters.append(role)
        try parameters.append(schema.schemaName)
        let relations = try connection.query(
            """
            SELECT c.relname::text, c.relkind = 'S', (SELECT pg_catalog.string_agg(p.privilege, ', ')
                FROM pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(privilege)
                WHERE CASE WHEN c.relkind = 'S' THEN FALSE
                    ELSE NOT pg_catalog.has_table_privilege($1::pg_catalog.name, c.oid, p.privilege) END),
                CASE WHEN c.relkind = 'S' THEN NOT pg_catalog.has_sequence_privilege($1::pg_catalog.name, c.oid, 'USAGE')
                    ELSE FALSE END
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $2 AND c.relkind IN ('r', 'p', 'S') ORDER BY 1
            """, parameters, cached: false
        ).map { ($0[0].string(), $0[1].isTrue, $0[2].isNull ? "" : $0[2].string(), $0[3].isTrue) }
        let isWithHistory = relations.contains { $0.0 == HistoryTables.tableNames[0] }
        let history = HistoryTables.rights(onlyReading: onlyReads)
        let objects = Set(schema.tables.map(\.name) + [schema.saveTable, StoreSchema.entryTable])
        for (relation, isSequence, rights, lacksUsage) in relations {
            let target = SQLIdentifier.quoted(schema.schemaName, relation)
            if let needed = history[relation]?.filter({ rights.contains($0) }), !needed.isEmpty {
                missing.append("GRANT \(needed.joined(separator: ", ")) ON \(target) TO \(name)")
            }
            if onlyReads {
                let isRead =
                    relation == schema.metadataTable
                    || objects.contains(relation) && relation != schema.saveTable
                guard isRead, rights.contains("SELECT") else { continue }
                missing.append("GRANT SELECT ON \(target) TO \(name)")
            } else if isSequence {
                let isUsed = relation == schema.idSequence || relation == HistoryTables.sequenceName
                guard isUsed, lacksUsage else { continue }
                missing.append("GRANT USAGE ON SEQUENCE \(target) TO \(name)")
            } else if objects.contains(relation), !rights.isEmpty {
                missing.append("GRANT \(rights) ON \(target) TO \(name)")
            } else if relation == schema.metadataTable, rights.contains("SELECT") {
                missing.append("GRANT SELECT ON \(target) TO \(name)")
            }
        }
        guard isWithHistory, !onlyReads else { return missing }
        return try missing + functions(of: role, name, HistoryTables(in: schema.schemaName), connection)
    }

    /// The grants of the functions that keep the history.
    private static func functions(
        of role: String, _ name: String, _ tables: HistoryTables, _ connection: Connection
    ) throws -> [String] {
        try HistoryTables.Function.allCases.filter(\.isForPrograms).map(tables.signature(of:)).filter {
            function in
            var parameters = Parameters()
            try parameters.append(role)
            try parameters.append(function)
            return try connection.query(
                "SELECT pg_catalog.has_function_privilege($1::pg_catalog.name, f.oid, 'EXECUTE') "
                    + "FROM (SELECT pg_catalog.to_regprocedure($2)::pg_catalog.oid AS oid) AS f WHERE f.oid IS NOT NULL",
                parameters, cached: false
            ).map { $0[0].isTrue }.first == false
        }.map { "GRANT EXECUTE ON FUNCTION \($0) TO \(name)" }
    }
}
