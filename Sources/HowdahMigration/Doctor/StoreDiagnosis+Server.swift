internal import PQClient

extension StoreDiagnosis {
    /// Settings of the server that matter to stores.
    func settings() throws -> [StoreFinding] {
        let values = Dictionary(
            try rows(
                "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ('jit', 'fsync', 'full_page_writes', "
                    + "'transaction_read_only', 'default_transaction_read_only', 'max_locks_per_transaction')"
            ).map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        var findings: [StoreFinding] = []
        findings.append(
            values["jit"] == "on"
                ? StoreFinding(
                    "jit", .note, "on: compilation can take longer than the short queries of an object graph",
                    remedy: "Run ALTER DATABASE … SET jit = off, or add ?options=-c%20jit%3Doff to the URL.")
                : StoreFinding("jit", .ok, "off"))
        for name in ["fsync", "full_page_writes"] where values[name] == "off" {
            findings.append(
                StoreFinding(
                    name, .warning, "off: a crash of the machine can destroy the database",
                    remedy: "Set \(name) = on, except for tests."))
        }
        if values["transaction_read_only"] == "on" || values["default_transaction_read_only"] == "on" {
            findings.append(
                StoreFinding(
                    "writing", .problem,
                    "the session is read-only: the server is a standby, or is set to read-only",
                    remedy: "Connect to the primary, with target_session_attrs=read-write."))
        }
        return findings
    }

    /// Who would be in the way of a migration.
    func sessions() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let holder = try MigrationLock(connection: connection, schemaName: schemaName).holder()
        findings.append(
            holder.isEmpty
                ? StoreFinding("migration", .ok, "none is running")
                : StoreFinding(
                    "migration", .note, "another program is working on the store\(holder)",
                    remedy: "Wait until that program has finished before you migrate."))
        let old = try rows(
            "SELECT a.pid::text, COALESCE(a.application_name, ''), a.state, "
                + "pg_catalog.date_trunc('second', pg_catalog.clock_timestamp() - a.xact_start)::text, "
                + "pg_catalog.array_to_string(pg_catalog.pg_blocking_pids(a.pid), ', ') "
                + "FROM pg_catalog.pg_stat_activity a WHERE a.datname = pg_catalog.current_database() "
                + "AND a.pid <> pg_catalog.pg_backend_pid() AND a.xact_start < pg_catalog.clock_timestamp() - interval '1 minute' "
                + "ORDER BY a.xact_start")
        findings += old.map {
            StoreFinding(
                "transactions", .warning,
                "session \($0[0]) (\($0[1].isEmpty ? "no name" : $0[1]), \($0[2])) has had a transaction open for \($0[3]): the "
                    + "transaction keeps its locks, and vacuum cannot remove dead rows",
                remedy: $0[4].isEmpty
                    ? "End the session before a migration, for example with pg_terminate_backend(\($0[0]))."
                    : "The session waits for a lock of \($0[4]). Look at that session first: if it ends, this one goes on."
            )
        }
        let prepared = try rows(
            "SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database()")
        if let first = prepared.first {
            findings.append(
                StoreFinding(
                    "transactions", .warning,
                    "\(prepared.count) prepared, the first is \(first[0]): prepared transactions keep their locks",
                    remedy: "Run COMMIT PREPARED or ROLLBACK PREPARED for each of them."))
        }
        if old.isEmpty, prepared.isEmpty {
            findings.append(StoreFinding("transactions", .ok, "none is older than a minute"))
        }
        return findings
    }
}
