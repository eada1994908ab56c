internal import HowdahModel
internal import PQClient

/// The functions of a store's schema, in a transaction of the caller as the store's owner.
struct StoreFunctions {
    private let schemaName: String
    private let connection: Connection

    init(in schemaName: String, on connection: Connection) {
        self.schemaName = schemaName
        self.connection = connection
    }

    /// Drops a function, and the triggers that use it, if another role than the owner of the store's record has it, or if it
    /// is a procedure.
    ///
    /// `CREATE OR REPLACE FUNCTION` keeps the owner, who can replace the function later with a text that runs with the rights
    /// of those who call it. It does not replace a procedure.
    ///
    /// - Parameter signature: The function as `DROP` names it.
    /// - Throws: `PostgresError`.
    func dropForeign(_ signature: String) throws {
        var parameters = Parameters()
        try parameters.append(signature)
        try parameters.append(schemaName)
        let isForeign = try connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_catalog.pg_proc AS p WHERE p.oid = pg_catalog.to_regprocedure($1)
                AND (p.prokind <> 'f' OR p.proowner NOT IN (SELECT c.relowner FROM pg_catalog.pg_class AS c
                    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                    WHERE n.nspname = $2 AND c.relname = \(SQLLiteral.string(StoreSchema.metadataTable)))))
            """, parameters, cached: false
        ).scalar { $0.isTrue }
        guard isForeign == true else { return }
        try run("DROP ROUTINE \(signature) CASCADE")
    }

    /// Takes the right to call a function from all roles but its owner. Default privileges may have given it.
    ///
    /// - Parameter signature: The function as `REVOKE` names it.
    /// - Throws: `PostgresError`.
    func revoke(_ signature: String) throws {
        var parameters = Parameters()
        try parameters.append(signature)
        let roles = try connection.query(
            """
            SELECT DISTINCT COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC')
            FROM pg_catalog.pg_proc AS p CROSS JOIN LATERAL
                pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) AS x
            LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = x.grantee
            WHERE p.oid = pg_catalog.to_regprocedure($1) AND x.grantee <> p.proowner
            """, parameters, cached: false
        ).map { $0[0].string() }
        for role in roles { try run("REVOKE ALL ON FUNCTION \(signature) FROM \(role) CASCADE") }
    }

    private func run(_ statement: String) throws { _ = try connection.query(statement, cached: false) }
}
