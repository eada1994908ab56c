internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// The role that migrates a store: whether it may, whether it sees all rows, and to whom the things belong that it makes.
struct MigratingRole {
    let connection: Connection
    let schemaName: String

    /// Refuses to migrate a store whose tables belong to others, or which row security shows to this role only in part: a
    /// migration that copies, counts or checks what it sees would lose the rest without an error of the server.
    ///
    /// One round trip.
    /// - Throws: `MigrationError` with `missingGrant` or `rowSecurity`, naming tables; `PostgresError`.
    func check() throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        let found = try connection.query(
            """
            SELECT c.relname::pg_catalog.text, pg_catalog.quote_ident(current_user),
                pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)),
                pg_catalog.pg_has_role(c.relowner, 'USAGE'), pg_catalog.row_security_active(c.oid)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind = 'r' AND (pg_catalog.row_security_active(c.oid)
                OR c.relname LIKE '\\_howdah\\_%' AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'))
            ORDER BY 1
            """, parameters, cached: false
        ).map {
            (
                table: $0[0].string(), role: $0[1].string(), owner: $0[2].string(), mayAlter: $0[3].isTrue,
                isFiltered: $0[4].isTrue
            )
        }
        if let first = found.first(where: { !$0.mayAlter }) {
            throw MigrationError(
                .missingGrant,
                "The store in schema '\(schemaName)' belongs to the role \(first.owner), and \(first.role) cannot change it. Migrate "
                    + "as \(first.owner), or GRANT \(first.owner) TO \(first.role).")
        }
        let filtered = found.filter(\.isFiltered)
        guard let role = filtered.first?.role else { return }
        let noun = filtered.count == 1 ? "table" : "tables"
        throw MigrationError(
            .rowSecurity,
            "Row security hides rows of the \(noun) \(filtered.map(\.table).joined(separator: ", ")) from the role \(role), and a "
                + "migration would lose these rows. Migrate as a role with BYPASSRLS, or as the owner after ALTER TABLE … NO FORCE "
                + "ROW LEVEL SECURITY on the \(noun).")
    }

    /// Checks that the role may make the schema that a stage moves tables to, before any stage has begun.
    ///
    /// A schema of that name which an operator made is used, and dropped at the end of the stage. So it is enough for one
    /// stage, if the role owns it. One round trip, and none if no stage needs it.
    /// - Throws: `MigrationError` with `missingGrant`, naming the stage; `PostgresError`.
    func check(_ stages: [MigrationPath.PlannedStage]) throws {
        let mapped = stages.filter { $0.stage.kind == .mapped }.map(\.stage.label)
        guard let first = mapped.first else { return }
        let place = AsideSchema.name(for: schemaName)
        var parameters = Parameters()
        try parameters.append(place)
        let answer = try connection.query(
            """
            SELECT pg_catalog.quote_ident(current_user), pg_catalog.quote_ident(pg_catalog.current_database()),
                pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
                pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(n.nspowner)), pg_catalog.pg_has_role(n.nspowner, 'USAGE')
            FROM (SELECT) AS one
            LEFT JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) $1
            """, parameters, cached: false
        ).map {
            (
                role: $0[0].string(), database: $0[1].string(), mayCreate: $0[2].isTrue,
                owner: $0[3].isNull ? nil : $0[3].string(), isOwned: $0[4].isTrue
            )
        }.first
        guard let (role, database, mayCreate, owner, isOwned) = answer else { return }
        let name = SQLIdentifier.quoted(place)
        if let owner, !isOwned {
            throw MigrationError(
                .missingGrant,
                "The stage \(first) moves the old tables to the schema \(name), which belongs to the role \(owner), and \(role) "
                    + "cannot use it. Nothing was changed. Drop that schema, or run ALTER SCHEMA \(name) OWNER TO \(role)."
            )
        }
        guard !mayCreate, let unprovided = mapped.dropFirst(owner == nil ? 0 : 1).first else { return }
        throw MigrationError(
            .missingGrant,
            "The stage \(unprovided) makes a schema for the old tables, and the role \(role) cannot create schemas in the "
                + "database \(database). Nothing was changed. Run GRANT CREATE ON DATABASE \(database) TO \(role)"
                + (mapped.count == 1 ? ", or CREATE SCHEMA \(name) AUTHORIZATION \(role)." : ".")
        )
    }

    /// Gives what this role has made to the owner of the store, at the end of the transaction that made it.
    ///
    /// - Throws: `MigrationError` with `missingGrant`; `PostgresError`.
    func settle(_ schema: StoreSchema) throws {
        let tables = schema.tables.map(\.name) + [schema.idSequence]
        let functions = schema.tables.flatMap { $0.triggers.map(\.name) } + FoldingFunctions.names
        let (namespace, record) = (
            SQLLiteral.string(schemaName), SQLLiteral.string(StoreSchema.metadataTable)
        )
        // Sequences that belong to a column go with their table.
        let body = """
            DECLARE keeper pg_catalog.oid; namespace pg_catalog.oid; found record; BEGIN
                SELECT c.relowner, n.oid INTO keeper, namespace FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = \(namespace) AND c.relname = \(record);
                FOR found IN SELECT 'TABLE ' || c.oid::pg_catalog.regclass AS name FROM pg_catalog.pg_class c
                    WHERE c.relnamespace = namespace AND pg_catalog.pg_get_userbyid(c.relowner) = current_user AND c.relowner <> keeper
                        AND (c.relkind IN ('r', 'p') OR c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                            WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
                        AND (c.relname LIKE '\\_howdah\\_%' OR c.relname IN (\(Self.list(tables))))
                    UNION ALL SELECT 'FUNCTION ' || p.oid::pg_catalog.regprocedure FROM pg_catalog.pg_proc p
                    WHERE p.pronamespace = namespace AND pg_catalog.pg_get_userbyid(p.proowner) = current_user AND p.proowner <> keeper
                        AND (p.proname LIKE '\\_howdah\\_%' OR p.proname IN (\(Self.list(functions))))
                LOOP
                    EXECUTE pg_catalog.format('ALTER %s OWNER TO %s', found.name, keeper::pg_catalog.regrole);
                END LOOP; END
            """
        do {
            _ = try connection.query("DO \(SQLLiteral.string(body))", cached: false)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            throw MigrationError(
                .missingGrant,
                "The objects that the migration created in schema '\(schemaName)' cannot be given to the owner of the store. "
                    + "GRANT CREATE ON SCHEMA \(SQLIdentifier.quoted(schemaName)) to that owner, and run the migration again.",
                databaseError: error)
        }
    }

    private static func list(_ names: [String]) -> String {
        Set(names).sorted().map { SQLLiteral.string($0) }.joined(separator: ", ")
    }
}
