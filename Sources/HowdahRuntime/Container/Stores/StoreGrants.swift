import HowdahModel
import PQClient

/// The rights of roles on a store's tables, columns and sequence, and other settings that a new table does
/// not have.
struct StoreGrants {
    private let statements: [(table: String, column: String?, grant: String)]

    /// Records the rights before the store is removed.
    ///
    /// - Throws: `StoreError` with `hasDependents` if row security restricts a table, which a replacement
    ///   would remove; `PostgresError`.
    init(of belongings: StoreBelongings, in schemaName: String, on connection: Connection) throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        let list = (belongings.tables + [StoreSchema.idSequence]).map { SQLLiteral.string($0) }.joined(
            separator: ", ")
        let restricted = try connection.query(
            """
            SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname IN (\(list)) AND (c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_policy p
                WHERE p.polrelid = c.oid)) ORDER BY 1
            """, parameters, cached: false
        ).map { $0[0].string() }
        guard restricted.isEmpty else {
            throw StoreError(
                .hasDependents,
                "Row security restricts tables of the store in schema '\(schemaName)' "
                    + "(\(restricted.joined(separator: ", "))). The replacement creates new tables, which "
                    + "would not have row security. Nothing was changed. Drop the policies and disable row "
                    + "security, and restore both after the replacement."
            )
        }
        statements = try connection.query(
            """
            SELECT c.relname::pg_catalog.text, NULL::pg_catalog.text, pg_catalog.format('GRANT %s ON %s %I.%I TO %s%s', x.privilege_type,
                CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, n.nspname, c.relname,
                COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC'), CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(list)) AND x.grantee <> c.relowner
            UNION ALL
            SELECT c.relname::pg_catalog.text, a.attname::pg_catalog.text, pg_catalog.format('GRANT %s (%I) ON TABLE %I.%I TO %s%s',
                x.privilege_type, a.attname, n.nspname, c.relname, COALESCE(pg_catalog.quote_ident(r.rolname), 'PUBLIC'),
                CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) AS x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(list)) AND x.grantee <> c.relowner
            """, parameters, cached: false
        ).map { ($0[0].string(), $0[1].isNull ? nil : $0[1].string(), $0[2].string()) }
    }

    /// Grants the rights again on names that the new store has, too.
    ///
    /// - Throws: `PostgresError`.
    func restore(in schemaName: String, on connection: Connection) throws {
        guard !statements.isEmpty else { return }
        var parameters = Parameters()
        try parameters.append(schemaName)
        var columns: [String: Set<String>] = [:]
        for row in try connection.query(
            """
            SELECT c.relname::pg_catalog.text, a.attname::pg_catalog.text
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE n.nspname = $1
            """, parameters, cached: false
        ).map({ ($0[0].string(), $0[1].string()) }) {
            columns[row.0, default: []].insert(row.1)
        }
        for (table, column, grant) in statements {
            guard let names = columns[table], column.map(names.contains) ?? true else { continue }
            _ = try connection.query(grant, cached: false)
        }
    }
}
