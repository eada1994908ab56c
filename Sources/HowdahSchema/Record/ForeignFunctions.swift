internal import HowdahModel
internal import PQClient

/// Functions under names of the store that belong to another role than the owner of the store's record.
///
/// `CREATE OR REPLACE FUNCTION` keeps the owner of a function, who can replace it later with a text that runs with the rights
/// of those who call it.
struct ForeignFunctions {
    private let schemaName: String
    private let connection: Connection

    init(in schemaName: String, on connection: Connection) {
        self.schemaName = schemaName
        self.connection = connection
    }

    /// Drops a function of another role, and the triggers that use it.
    ///
    /// - Parameter signature: The function as `DROP` names it.
    /// - Throws: `PostgresError`.
    func drop(_ signature: String) throws {
        var parameters = Parameters()
        try parameters.append(signature)
        try parameters.append(schemaName)
        let isForeign = try connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_catalog.pg_proc AS p WHERE p.oid = pg_catalog.to_regprocedure($1)
                AND p.proowner NOT IN (SELECT c.relowner FROM pg_catalog.pg_class AS c
                    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                    WHERE n.nspname = $2 AND c.relname = \(SQLLiteral.string(StoreSchema.metadataTable))))
            """, parameters, cached: false
        ).scalar { $0.bool }
        guard isForeign == true else { return }
        _ = try connection.query("DROP FUNCTION \(signature) CASCADE", cached: false)
    }
}
