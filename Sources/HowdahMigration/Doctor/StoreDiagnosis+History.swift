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
            if let databaseError = error.databaseError { throw databaseError }
            return [StoreFinding("history", .problem, error.message)]
        }
        if let refusal = status.refusal { return [StoreFinding("history", .problem, refusal)] }
        return try [phase(status, record), keeping(status)] + consumers(status) + storage() + additions()
            + rights(record) + functions() + historyTriggers(record)
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

    /// Policies, triggers and foreign keys of others would hide changes from programs, or make statements fail.
    private func additions() throws -> [StoreFinding] {
        let names = HistoryTables.tableNames.map { SQLLiteral.string($0) }.joined(separator: ", ")
        return try rows(
            """
            WITH tables AS (SELECT c.*, pg_catalog.format('%I.%I', n.nspname, c.relname) AS place FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname IN (\(names)))
            SELECT 'row level security of ' || t.place, pg_catalog.format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', t.place)
            FROM tables t WHERE t.relrowsecurity
            UNION ALL SELECT pg_catalog.format('the trigger %I on %s', g.tgname, t.place),
                pg_catalog.format('DROP TRIGGER %I ON %s', g.tgname, t.place)
            FROM tables t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal AND g.tgparentid = 0
            UNION ALL SELECT pg_catalog.format('the constraint %I of %s', k.conname, k.conrelid::pg_catalog.regclass),
                pg_catalog.format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::pg_catalog.regclass, k.conname)
            FROM tables t JOIN pg_catalog.pg_constraint k ON k.confrelid = t.oid AND k.contype = 'f' AND k.conparentid = 0
            ORDER BY 1
            """
        ).map { row in
            StoreFinding(
                "history", .problem, "\(row[0]) can hide changes from programs, or stop them",
                remedy: "Run \(row[1]).")
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
                "\(row[0]) has a name of the history's functions, and is not one of them",
                remedy: "Run DROP ROUTINE \(row[0]).")
        }
    }

    /// The tables of the store's model; nil if it cannot be read.
    func modelSchema(_ record: StoreRecord) -> StoreSchema? {
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

    /// The names of the parts, for a list in SQL.
    static let slots = HistoryTables.tableNames.suffix(HistoryTables.slots)
        .map { SQLLiteral.string($0) }.joined(separator: ", ")
}
