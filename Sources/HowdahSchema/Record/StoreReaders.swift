internal import HowdahModel
internal import PQClient

/// The roles that may read a store's record.
struct StoreReaders {
    let connection: Connection
    let schemaName: String

    /// Lets them read another of the store's tables.
    ///
    /// - Parameter table: the quoted name.
    /// - Throws: `PostgresError`.
    func grant(_ table: String) throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(StoreSchema.metadataTable)
        let roles = try connection.query(
            """
            SELECT r.rolname::pg_catalog.text FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS x
            LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname = $2 AND x.privilege_type = 'SELECT' AND x.grantee <> c.relowner
            """, parameters, cached: false
        ).map { $0[0].isNull ? "PUBLIC" : SQLIdentifier.quoted($0[0].string()) }
        for role in roles { _ = try connection.query("GRANT SELECT ON \(table) TO \(role)", cached: false) }
    }
}
