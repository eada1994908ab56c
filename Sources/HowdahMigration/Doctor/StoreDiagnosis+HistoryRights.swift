internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StoreDiagnosis {
    /// Rights to remove changes, or to write what only functions of the owner write.
    func rights(_ record: StoreRecord) throws -> [StoreFinding] {
        let tables = modelSchema(record)?.tables.map(\.name) ?? []
        return try partRights() + writingRights() + callingRights() + forgers()
            + (tables.isEmpty ? [] : restrictedReaders(tables) + lockedOut(tables))
    }

    /// Roles that may change objects, but write no history, so that their saves fail. Programs may have the rights of a group
    /// and others.
    private func lockedOut(_ tables: [String]) throws -> [StoreFinding] {
        let names = tables.map { SQLLiteral.string($0) }.joined(separator: ", ")
        // Whether all programs with the role may write history.
        let members = """
            (SELECT pg_catalog.bool_and(pg_catalog.has_table_privilege(m.oid, h.oid, 'INSERT')) FROM pg_catalog.pg_roles m
                WHERE m.rolcanlogin AND NOT m.rolsuper AND pg_catalog.pg_has_role(m.oid, r.oid, 'USAGE'))
            """
        return try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC') FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_class h ON h.relnamespace = n.oid AND h.relname = \(SQLLiteral.string(HistoryTables.prefix))
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(names)) AND x.grantee <> c.relowner
                AND x.privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
                AND CASE WHEN r.rolsuper AND EXISTS (SELECT FROM pg_catalog.pg_auth_members AS a WHERE a.roleid = r.oid)
                    THEN \(members) IS FALSE
                    ELSE NOT coalesce(pg_catalog.has_table_privilege(r.oid, h.oid, 'INSERT'), FALSE)
                        AND (r.oid IS NULL OR r.rolcanlogin OR \(members) IS NOT TRUE) END
            ORDER BY 1
            """
        ).map { row in
            StoreFinding(
                "history rights", .warning,
                "\(row[0]) may change objects, but write no history, so that saves of its programs fail",
                remedy:
                    "Run howdah migrate doctor --role with the role of the program, and grant the rights that it lists."
            )
        }
    }

    /// Functions of the owner remove changes. Roles that write no history have no use for them.
    private func callingRights() throws -> [StoreFinding] {
        let tables = HistoryTables(in: schemaName)
        return try HistoryTables.Function.allCases.flatMap { function -> [StoreFinding] in
            let signature = tables.signature(of: function)
            let found = try rows(
                "SELECT coalesce(r.rolname::pg_catalog.text, 'PUBLIC') FROM pg_catalog.pg_proc p "
                    + "CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee "
                    + "LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1 LEFT JOIN pg_catalog.pg_class c "
                    + "ON c.relnamespace = n.oid AND c.relname = \(SQLLiteral.string(HistoryTables.prefix)) "
                    + "WHERE p.oid = pg_catalog.to_regprocedure(\(SQLLiteral.string(signature))) AND x.grantee <> p.proowner "
                    + "AND coalesce(NOT \(HistoryGrants.given("INSERT", on: "c")), TRUE) ORDER BY 1"
            )
            return found.map { row in
                let role = row[0] == "PUBLIC" ? row[0] : SQLIdentifier.quoted(row[0])
                return StoreFinding(
                    "history rights", .warning,
                    "\(row[0]) writes no history, but may call \(HistoryTables.prefix)_\(function.rawValue), which changes it",
                    remedy: "Run REVOKE EXECUTE ON FUNCTION \(signature) FROM \(role).")
            }
        }
    }

    /// Functions of tracked tables run with the owner's rights. A role that may call them could use them on another table, and
    /// write changes that never happened.
    private func forgers() throws -> [StoreFinding] {
        let pattern = SQLLiteral.string(TrackingTrigger.prefix.replacing("_", with: "\\_") + "%")
        return try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC'), pg_catalog.format('%I.%I()', n.nspname, p.proname)
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
            LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND p.proname LIKE \(pattern) AND p.pronargs = 0 AND p.prosecdef AND x.grantee <> p.proowner
                AND p.proowner IN (SELECT m.relowner FROM pg_catalog.pg_class m
                    WHERE m.relnamespace = n.oid AND m.relname = \(SQLLiteral.string(StoreSchema.metadataTable)))
            ORDER BY 1, 2
            """
        ).map { row in
            StoreFinding(
                "history rights", .warning,
                "\(row[0]) may call \(row[1]), and so write changes that never happened",
                remedy:
                    "Run REVOKE EXECUTE ON FUNCTION \(row[1]) FROM \(row[0] == "PUBLIC" ? row[0] : SQLIdentifier.quoted(row[0]))."
            )
        }
    }

    /// Roles that may read the values of all objects in the history, and not in the tables.
    private func restrictedReaders(_ tables: [String]) throws -> [StoreFinding] {
        let names = tables.map { SQLLiteral.string($0) }.joined(separator: ", ")
        let found = try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC'), c.relname::pg_catalog.text FROM (
                SELECT k.relnamespace, k.relname, k.relowner, k.relacl AS acl FROM pg_catalog.pg_class k
                UNION ALL SELECT k.relnamespace, k.relname, k.relowner, a.attacl
                FROM pg_catalog.pg_class k JOIN pg_catalog.pg_attribute a ON a.attrelid = k.oid
                WHERE a.attacl IS NOT NULL AND a.attname = 'tombstones') AS h
            JOIN pg_catalog.pg_namespace n ON n.oid = h.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(h.acl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname IN (\(names))
            WHERE n.nspname = $1 AND (h.relname = \(SQLLiteral.string(HistoryTables.prefix)) OR h.relname IN (\(Self.slots)))
                AND x.privilege_type = 'SELECT' AND x.grantee <> h.relowner AND (r.oid IS NULL
                    OR \(HistoryGrants.isRestricted) OR NOT \(HistoryGrants.mayRead))
            ORDER BY 1, 2
            """)
        return Dictionary(grouping: found) { $0[0] }.sorted { $0.key < $1.key }.map { role, tables in
            StoreFinding(
                "history rights", .warning,
                "\(role) may not read all rows of \(tables.map { $0[1] }.joined(separator: ", ")), but the history, which has ids "
                    + "and preserved values of all objects",
                remedy: "Run REVOKE SELECT ON \(SQLIdentifier.quoted(schemaName, HistoryTables.prefix)) FROM "
                    + "\(role == "PUBLIC" ? role : SQLIdentifier.quoted(role)), if it must not see them.")
        }
    }

    private func writingRights() throws -> [StoreFinding] {
        let own = ["_current", "_state", "_era"].map { SQLLiteral.string(HistoryTables.prefix + $0) }
        let history = SQLLiteral.string(HistoryTables.prefix)
        let all = HistoryTables.tableNames.dropLast(HistoryTables.slots).map { SQLLiteral.string($0) }
            .joined(separator: ", ")
        let consumer = SQLLiteral.string(HistoryTables.prefix + "_consumer")
        // Roles that write history change consumers, and draw numbers.
        let isWriter = "coalesce(\(HistoryGrants.given("INSERT", on: "h")), FALSE)"
        let found = try rows(
            """
            SELECT t.relname::pg_catalog.text, coalesce(r.rolname::pg_catalog.text, 'PUBLIC'),
                pg_catalog.string_agg(DISTINCT x.privilege_type || t.columns, ', '), t.kind
            FROM (SELECT c.relname, c.relnamespace, c.relowner, c.relacl AS acl, ''::pg_catalog.text AS columns,
                    CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE '' END AS kind FROM pg_catalog.pg_class c
                UNION ALL SELECT c.relname, c.relnamespace, c.relowner, a.attacl, ' (' || pg_catalog.quote_ident(a.attname) || ')', ''
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attacl IS NOT NULL) AS t
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
            JOIN pg_catalog.pg_class h ON h.relnamespace = n.oid AND h.relname = \(history)
            CROSS JOIN LATERAL pg_catalog.aclexplode(t.acl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND x.grantee <> t.relowner AND (
                t.relname IN (\(all)) AND x.privilege_type IN ('TRIGGER', 'REFERENCES')
                OR t.relname = \(history) AND x.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')
                OR t.relname IN (\(own.joined(separator: ", ")))
                    AND x.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
                OR t.relname = \(consumer) AND (x.privilege_type IN ('INSERT', 'TRUNCATE')
                    OR x.privilege_type IN ('UPDATE', 'DELETE') AND NOT \(isWriter))
                OR t.relname = \(SQLLiteral.string(HistoryTables.sequenceName)) AND (x.privilege_type = 'UPDATE'
                    OR x.privilege_type = 'USAGE' AND NOT \(isWriter)))
            GROUP BY 1, 2, 4 ORDER BY 1, 2
            """
        )
        return found.map { row in
            let role = row[1] == "PUBLIC" ? row[1] : SQLIdentifier.quoted(row[1])
            return StoreFinding(
                "history rights", .warning,
                "\(row[1]) has the rights \(row[2]) on \(row[0]), so that it can remove changes others have not read, or stop "
                    + "programs",
                remedy:
                    "Run REVOKE \(row[2]) ON \(row[3])\(SQLIdentifier.quoted(schemaName, row[0])) FROM \(role)."
            )
        }
    }

    /// Rights on a slot would bypass what the table of all slots allows.
    private func partRights() throws -> [StoreFinding] {
        let roles = try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC') FROM (
                SELECT k.relnamespace, k.relname, k.relowner, k.relacl AS acl FROM pg_catalog.pg_class k
                UNION ALL SELECT k.relnamespace, k.relname, k.relowner, a.attacl FROM pg_catalog.pg_class k
                JOIN pg_catalog.pg_attribute a ON a.attrelid = k.oid AND a.attacl IS NOT NULL) AS c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.acl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(Self.slots)) AND x.grantee <> c.relowner ORDER BY 1
            """
        ).map { $0[0] }
        if roles.isEmpty { return [] }
        return [
            StoreFinding(
                "history rights", .warning,
                "\(roles.joined(separator: ", ")) may use parts of the history directly",
                remedy:
                    "Run REVOKE ALL on the tables \(HistoryTables.prefix)_0 to \(HistoryTables.prefix)_\(HistoryTables.slots - 1) "
                    + "from these roles, which includes rights on their columns.")
        ]
    }
}
