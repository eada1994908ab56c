internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StoreDiagnosis {
    /// The seconds without a heartbeat after which no program seems to keep the history.
    private static let heartbeatLimit: Int64 = 60

    /// The findings about the store's history; none if it has none.
    func history(_ record: StoreRecord) throws -> [StoreFinding] {
        let missing = try HistoryInstallation.missingTables(in: schemaName, on: connection)
        if HistoryTables.tableNames.allSatisfy(missing.contains), !record.format.requiresHistory { return [] }
        if try rows("SELECT pg_catalog.pg_is_in_recovery()::pg_catalog.text")[0][0] == "true" {
            return [
                StoreFinding(
                    "history", .note, "not looked at, because the server is a standby",
                    remedy: "Run the doctor on the primary.")
            ]
        }
        if !missing.isEmpty { return [parts(missing)] }
        let status: HistoryMeasures
        do {
            status = try HistoryAdministration(connection, schemaName: schemaName).status()
        } catch let error as MigrationError {
            if let underlying = error.underlying { throw underlying }
            return [StoreFinding("history", .problem, error.message)]
        }
        if let refusal = status.refusal { return [StoreFinding("history", .problem, refusal)] }
        return try [phase(status, record), keeping(status)] + consumers(status) + storage() + policies()
            + rights(record)
            + functions() + historyTriggers(record)
    }

    private func parts(_ missing: [String]) -> StoreFinding {
        let isMended = missing.allSatisfy(HistoryTables.mendedNames.contains)
        return StoreFinding(
            "history", .problem, "missing, or no part of the history: \(missing.joined(separator: ", "))",
            remedy: isMended
                ? "Run howdah history enable, which creates them again."
                : "Run howdah history disable, and turn the history on again. All consumers begin again then."
        )
    }

    private func phase(_ status: HistoryMeasures, _ record: StoreRecord) -> StoreFinding {
        guard record.format.hasHistory else {
            return StoreFinding(
                "history", .problem,
                "the store's record says that it has no history, so that old programs may write it",
                remedy: "Set format_version to \(StoreMetadata.formatVersion) and writable_from to "
                    + "\(StoreMetadata.writableFromWithHistory) in \(StoreSchema.metadataTable).")
        }
        switch HistoryRecord.Phase(rawValue: status.phase) {
        case .enabled:
            return StoreFinding(
                "history", .note, "enabled, but not started",
                remedy: "Restart all programs that use the store, and run howdah history start.")
        case .guarded:
            return StoreFinding(
                "history", .note,
                "started, with a guard that refuses statements of programs that write no history",
                remedy: "After all programs were restarted, run howdah history trust.")
        default:
            let tracked =
                status.tracked.isEmpty
                ? "" : ", with changes of other programs to \(status.tracked.joined(separator: ", "))"
            return StoreFinding("history", .ok, "written\(tracked)")
        }
    }

    private func keeping(_ status: HistoryMeasures) -> StoreFinding {
        status.heartbeatAge <= Self.heartbeatLimit
            ? StoreFinding("history keeper", .ok, "the last heartbeat is \(status.heartbeatAge) s old")
            : StoreFinding(
                "history keeper", .warning,
                "the last heartbeat is \(status.heartbeatAge) s old: after a failover, changes since then are delivered again",
                remedy: "Run a program with StoreOptions.keepsHistory, or howdah history keep.")
    }

    private func consumers(_ status: HistoryMeasures) -> [StoreFinding] {
        let findings = status.consumers.compactMap { consumer -> StoreFinding? in
            let remedy =
                "Start the program of the consumer, or remove the consumer: howdah history forget \(consumer.name)"
            if consumer.isLost {
                return StoreFinding(
                    "history consumers", .warning,
                    "\(consumer.name) has a position of a server that is gone, and cannot continue; the history is kept for it",
                    remedy: remedy)
            }
            guard consumer.isBehind, consumer.age > 2 * status.retention else { return nil }
            return StoreFinding(
                "history consumers", .warning,
                "\(consumer.name) has not acknowledged changes since \(consumer.acknowledgedAt), and the history is kept for it",
                remedy: remedy)
        }
        return findings.isEmpty
            ? [
                StoreFinding(
                    "history consumers", .ok, "\(status.consumers.count) registered, none is far behind")
            ]
            : findings
    }

    /// Policies would hide changes from programs, without an error.
    private func policies() throws -> [StoreFinding] {
        let names = HistoryTables.tableNames.map { SQLLiteral.string($0) }.joined(separator: ", ")
        return try rows(
            "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname IN (\(names)) AND c.relrowsecurity ORDER BY 1"
        ).map { row in
            StoreFinding(
                "history", .problem, "row level security of \(row[0]) hides changes from programs",
                remedy: "Run ALTER TABLE \(row[0]) DISABLE ROW LEVEL SECURITY.")
        }
    }

    /// Compression of keys would make saves several times slower.
    private func storage() throws -> [StoreFinding] {
        let compressed = try rows(
            "SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'ids' AND a.attstorage <> 'e' "
                + "WHERE n.nspname = $1 AND c.relname IN (\(Self.slots)) ORDER BY 1"
        ).map { $0[0] }
        guard let first = compressed.first else { return [] }
        return [
            StoreFinding(
                "history storage", .warning, "keys are compressed in \(compressed.joined(separator: ", "))",
                remedy:
                    "Run ALTER TABLE \(SQLIdentifier.quoted(schemaName, first)) ALTER COLUMN ids SET STORAGE EXTERNAL"
                    + (compressed.count > 1 ? ", and likewise for the others." : "."))
        ]
    }

    /// Rights to remove changes, or to write what only functions of the owner write.
    private func rights(_ record: StoreRecord) throws -> [StoreFinding] {
        let tables = modelSchema(record)?.tables.map(\.name) ?? []
        return try partRights() + writingRights() + callingRights() + forgers()
            + (tables.isEmpty ? [] : restrictedReaders(tables) + lockedOut(tables))
    }

    /// Roles that may change objects, but write no history, so that their saves fail. Programs may have the rights of a group
    /// and others.
    private func lockedOut(_ tables: [String]) throws -> [StoreFinding] {
        let names = tables.map { SQLLiteral.string($0) }.joined(separator: ", ")
        return try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC') FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_class h ON h.relnamespace = n.oid AND h.relname = \(SQLLiteral.string(HistoryTables.prefix))
            CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND c.relname IN (\(names)) AND x.grantee <> c.relowner
                AND x.privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
                AND NOT coalesce(pg_catalog.has_table_privilege(r.oid, h.oid, 'INSERT'), FALSE)
                AND (r.oid IS NULL OR r.rolcanlogin OR (
                    SELECT pg_catalog.bool_and(pg_catalog.has_table_privilege(m.oid, h.oid, 'INSERT')) FROM pg_catalog.pg_roles m
                    WHERE m.rolcanlogin AND NOT m.rolsuper AND pg_catalog.pg_has_role(m.oid, r.oid, 'USAGE')) IS NOT TRUE)
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
                    + "AND coalesce(NOT pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT'), TRUE) ORDER BY 1"
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

    /// Functions of tracked tables run with the owner's rights. On a table of its own, a role that may call them could write
    /// changes that never happened.
    private func forgers() throws -> [StoreFinding] {
        let pattern = SQLLiteral.string(TrackingTrigger.prefix.replacing("_", with: "\\_") + "%")
        return try rows(
            """
            SELECT DISTINCT coalesce(r.rolname::pg_catalog.text, 'PUBLIC'), pg_catalog.format('%I.%I()', n.nspname, p.proname)
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
            LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
            WHERE n.nspname = $1 AND p.proname LIKE \(pattern) AND p.pronargs = 0 AND p.prosecdef AND x.grantee <> p.proowner
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
                    OR \(HistoryGrants.isRestricted) OR r.rolsuper AND EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m
                        WHERE m.roleid = r.oid) OR NOT pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT'))
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
        let isWriter = "coalesce(pg_catalog.has_table_privilege(r.oid, h.oid, 'INSERT'), FALSE)"
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

    /// Without its functions, the history is neither kept nor purged.
    private func functions() throws -> [StoreFinding] {
        let wrong = try HistoryInstallation.wrongFunctions(in: schemaName, on: connection)
        let missing =
            wrong.isEmpty
            ? []
            : [
                StoreFinding(
                    "history functions", .problem,
                    "missing or changed: \(wrong.joined(separator: ", "))",
                    remedy: "Run howdah history enable, which creates them again.")
            ]
        return try missing + otherRoutines()
    }

    /// Routines of others with the names of the history's functions. With some of them, a call does not say which function it
    /// means.
    private func otherRoutines() throws -> [StoreFinding] {
        let tables = HistoryTables(in: schemaName)
        let names = HistoryTables.Function.allCases.map {
            SQLLiteral.string("\(HistoryTables.prefix)_\($0.rawValue)")
        }
        let own = HistoryTables.Function.allCases.map {
            "coalesce(pg_catalog.to_regprocedure(\(SQLLiteral.string(tables.signature(of: $0))))::pg_catalog.oid, 0)"
        }
        return try rows(
            """
            SELECT pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid))
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = $1 AND p.proname IN (\(names.joined(separator: ", "))) AND p.oid NOT IN (\(own.joined(separator: ", ")))
            ORDER BY 1
            """
        ).map { row in
            StoreFinding(
                "history functions", .problem,
                "\(row[0]) is no part of the history, but has a name of its functions",
                remedy: "Run DROP ROUTINE \(row[0]).")
        }
    }

    /// The tables of the store's model; nil if it cannot be read.
    private func modelSchema(_ record: StoreRecord) -> StoreSchema? {
        guard let model = try? ManagedObjectModel(canonicalJSON: record.model) else { return nil }
        return try? StoreSchema(model, schemaName: schemaName)
    }

    private func historyTriggers(_ record: StoreRecord) throws -> [StoreFinding] {
        guard let schema = modelSchema(record) else { return [] }
        let missing = try HistoryTriggers(of: schema, on: connection).missing()
        if missing.isEmpty { return [] }
        return [
            StoreFinding(
                "history triggers", .warning,
                "missing, disabled or changed: \(missing.joined(separator: ", "))",
                remedy:
                    "Run howdah history track for the entity again, or howdah history trust if it is the guard."
            )
        ]
    }

    private static let slots = HistoryTables.tableNames.suffix(HistoryTables.slots)
        .map { SQLLiteral.string($0) }.joined(separator: ", ")
}
