import LocalPostgres

extension ReplicatedServer {
    /// Waits until this replica has applied everything that the other server has committed so far.
    ///
    /// - Throws: ``ReplicationError`` if that takes longer than the limit; the error of a connection.
    public nonisolated(nonsending) func catchUp(
        with source: ReplicatedServer, within limit: Duration = .seconds(30)
    ) async throws {
        // A message of the log with a position that is behind all commits so far, and that is written at once.
        let position = try await source.ask(
            "SELECT pg_catalog.pg_logical_emit_message(true, 'howdah', "
                + "pg_catalog.set_config('synchronous_commit', 'local', true))::text")
        guard let position else { return }
        try await wait(
            until: "SELECT (pg_catalog.pg_last_wal_replay_lsn() >= '\(position)')::text",
            "catch up", within: limit)
    }

    /// Makes the replica a primary, on a new timeline. It first applies the changes that it has received.
    ///
    /// - Throws: ``ReplicationError``; the error of the connection.
    public nonisolated(nonsending) func promote() async throws {
        try await ask("SELECT pg_catalog.pg_promote(true, 60)::text")
        try await wait(
            until: "SELECT (NOT pg_catalog.pg_is_in_recovery())::text", "become a primary",
            within: .seconds(60))
    }

    /// Stops receiving changes, as if the network between the servers failed.
    ///
    /// Changes that the primary commits from now on are lost if you promote this replica.
    ///
    /// - Throws: ``ReplicationError``; the error of the connection.
    public nonisolated(nonsending) func disconnect() async throws {
        try cluster.configure(["primary_conninfo": ""])
        try await reload()
        try await wait(
            until: "SELECT (NOT EXISTS (SELECT FROM pg_catalog.pg_stat_get_wal_receiver() w "
                + "WHERE w.pid IS NOT NULL))::text", "disconnect", within: .seconds(30))
    }

    /// Receives changes from another server.
    ///
    /// A replica does so at once. A stopped primary becomes a replica at its next ``start()``. After an orderly
    /// ``stop()``, it has no changes that the other server does not have.
    ///
    /// - Throws: ``ReplicationError``; `LocalPostgresError`; the error of the connection.
    public nonisolated(nonsending) func follow(_ source: ReplicatedServer) async throws {
        try cluster.configure(["primary_conninfo": source.cluster.conninfo()])
        if cluster.serverProcessID == nil {
            try cluster.markAsStandby()
        } else {
            try await reload()
        }
    }

    /// Applies each commit only when it is that old, to test with a replica that lags; zero ends the delay.
    ///
    /// The clocks of the two servers are the same. Changes are received without delay, and a promotion applies all
    /// of them.
    ///
    /// - Throws: ``ReplicationError``; the error of the connection.
    public nonisolated(nonsending) func delayReplay(by delay: Duration) async throws {
        let milliseconds = Int(delay / .milliseconds(1))
        try cluster.configure(["recovery_min_apply_delay": "\(milliseconds)ms"])
        try await reload()
        try await wait(
            until: "SELECT (setting = '\(milliseconds)')::text FROM pg_catalog.pg_settings "
                + "WHERE name = 'recovery_min_apply_delay'", "reload its settings", within: .seconds(30))
    }

    private nonisolated(nonsending) func reload() async throws {
        try await ask("SELECT pg_catalog.pg_reload_conf()::text")
    }
}
