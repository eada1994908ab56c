internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StoreDiagnosis {
    /// What the library keeps beside the model's tables.
    private static let ownTables =
        [
            StoreSchema.metadataTable, StoreSchema.saveTable, MigrationLedger.name, PendingWork.name,
            StoreSchema.entryTable,
        ] + HistoryTables.tableNames

    /// What was begun and not ended: invalid indexes, constraints that were never validated, reserved tables.
    ///
    /// - Parameter pending: what a deferred migration has left to be done, which does away with most of it.
    func remains(_ pending: [PendingMigrationStep]) throws -> [StoreFinding] {
        let isPending = !pending.isEmpty
        let indexes = try rows(
            "SELECT c.relname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND NOT (i.indisvalid AND i.indisready) ORDER BY 1"
        ).map { $0[0] }
        let rebuilt = Set(pending.compactMap(\.indexName)).intersection(indexes).sorted()
        let byHand = "Use REINDEX INDEX CONCURRENTLY, or DROP INDEX CONCURRENTLY and run the migration again."
        let constraints = try rows(
            "SELECT t.relname || '.' || c.conname FROM pg_catalog.pg_constraint c "
                + "JOIN pg_catalog.pg_class t ON t.oid = c.conrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace "
                + "WHERE n.nspname = $1 AND NOT c.convalidated ORDER BY 1"
        ).map { $0[0] }
        let tables = try rows(
            "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname LIKE '\\_howdah%' ORDER BY 1"
        ).map { $0[0] }.filter { !Self.ownTables.contains($0) }
        return [
            found(
                "indexes", indexes, "no invalid index",
                "invalid: not used by queries, but updated with every write",
                .warning,
                rebuilt.isEmpty
                    ? byHand
                    : "Run howdah migrate finish to build \(rebuilt.joined(separator: ", ")) again."
                        + (rebuilt.count < indexes.count ? " For the other indexes: \(byHand)" : "")),
            found(
                "constraints", constraints, "all validated",
                "not validated, so old rows may violate these constraints",
                isPending ? .note : .warning,
                isPending ? "Run howdah migrate finish." : "Run ALTER TABLE … VALIDATE CONSTRAINT …"),
            found(
                "leftovers", tables, "no table of an unfinished migration",
                "reserved tables that only an unfinished migration uses", isPending ? .note : .warning,
                isPending
                    ? "Run howdah migrate finish."
                    : "Run the migration that created these tables again. If howdah migrate verify then finds no difference, drop the tables."
            ),
        ]
    }

    /// The finding about triggers that are missing or do not fire; none if the model asks for no trigger.
    func triggers(_ schema: StoreSchema) throws -> [StoreFinding] {
        let wanted = schema.tables.filter { $0.existing == nil }.flatMap { table in
            table.triggers.map { "\(table.name).\($0.name)" }
        }
        if wanted.isEmpty { return [] }
        // R fires in replicas only, where sessions of programs are refused.
        let firing = Set(
            try rows(
                "SELECT t.relname || '.' || g.tgname FROM pg_catalog.pg_trigger g "
                    + "JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid "
                    + "JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace "
                    + "WHERE n.nspname = $1 AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A')"
            ).map { $0[0] })
        return [
            found(
                "triggers", wanted.filter { !firing.contains($0) }.sorted(),
                "\(wanted.count) of \(wanted.count)",
                "disabled or missing: the store does not count changes by plain SQL, or does not enforce delete rules",
                .warning,
                "Run ALTER TABLE … ENABLE TRIGGER … for disabled ones, and howdah migrate verify to list missing ones."
            )
        ]
    }

    private func found(
        _ check: String, _ names: [String], _ fine: String, _ fault: String,
        _ severity: StoreFinding.Severity, _ remedy: String
    ) -> StoreFinding {
        names.isEmpty
            ? StoreFinding(check, .ok, fine)
            : StoreFinding(check, severity, "\(names.joined(separator: ", ")): \(fault)", remedy: remedy)
    }

    /// Whether indexes were built with the rules of order that the server has now.
    func collations() throws -> [StoreFinding] {
        var stale: [(name: String, was: String, is: String, remedy: String)] = []
        for row in try rows(
            "SELECT c.collname::text, c.collversion, pg_catalog.pg_collation_actual_version(c.oid), "
                + "pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.collname) "
                + "FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace "
                + "WHERE c.collversion IS NOT NULL AND (c.collname = 'und-x-icu' OR EXISTS ("
                + "SELECT 1 FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class t ON t.oid = a.attrelid "
                + "JOIN pg_catalog.pg_namespace s ON s.oid = t.relnamespace "
                + "WHERE s.nspname = $1 AND a.attcollation = c.oid)) "
                + "AND c.collversion IS DISTINCT FROM pg_catalog.pg_collation_actual_version(c.oid)")
        {
            stale.append((row[0], row[1], row[2], "ALTER COLLATION \(row[3]) REFRESH VERSION"))
        }
        if connection.serverVersion >= 150_000 {
            for row in try rows(
                "SELECT d.datname::text, d.datcollversion, pg_catalog.pg_database_collation_actual_version(d.oid), "
                    + "pg_catalog.quote_ident(d.datname) FROM pg_catalog.pg_database d "
                    + "WHERE d.datname = pg_catalog.current_database() AND d.datcollversion IS NOT NULL "
                    + "AND d.datcollversion IS DISTINCT FROM pg_catalog.pg_database_collation_actual_version(d.oid)"
            ) {
                stale.append((row[0], row[1], row[2], "ALTER DATABASE \(row[3]) REFRESH COLLATION VERSION"))
            }
        }
        if stale.isEmpty {
            return [StoreFinding("collations", .ok, "the same version as when the indexes were built")]
        }
        return stale.map {
            StoreFinding(
                "collations", .warning,
                "\($0.name) had version \($0.was) when indexes were built and now has \($0.is): queries by index may miss rows",
                remedy: "Run REINDEX DATABASE CONCURRENTLY, then \($0.remedy)")
        }
    }
}
