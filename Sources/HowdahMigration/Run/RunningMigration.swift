package import PQClient

/// A migration of somebody else's that whoever only looks at a store should not look into.
package struct RunningMigration {
    private let connection: Connection
    private let schemaName: String

    /// That of the store in a schema, where there is one.
    package init(in schemaName: String, on connection: Connection) {
        self.connection = connection
        self.schemaName = schemaName
    }

    /// Waits for a running migration to end, and runs `body`. Its statements wait for locks no longer than `budget`.
    ///
    /// Behind a transaction pooler they have no limit, because it would give the session, with the limit, to other programs.
    ///
    /// - Throws: `MigrationError` with `busy` or `lockTimeout` if a wait takes longer than `budget`, with the session that
    ///   has the lock; the errors of `body`.
    package func whenOver<T>(
        within budget: Duration, _ observer: MigrationObserver? = nil, _ body: () throws -> T
    ) throws -> T {
        try MigrationLock(connection: connection, schemaName: schemaName)
            .awaitRelease(within: budget, observer)
        if !connection.isPooled {
            try connection.executeScript(
                "SET lock_timeout = \(SQLLiteral.integer(budget.settingInMilliseconds))")
        }
        defer {
            if connection.isUsable, !connection.isPooled {
                try? connection.executeScript("RESET lock_timeout")
            }
        }
        do {
            return try body()
        } catch let error as PostgresError where error.isOfLocks {
            let holders = try LockHolder.ofAnyTable(in: schemaName, on: connection)
            throw MigrationError(
                .lockTimeout,
                "A table of the store in schema '\(schemaName)' was locked for longer than \(budget.inWords)"
                    + (holders.isEmpty
                        ? "" : " by \(holders.map(\.description).joined(separator: ", and by "))")
                    + ". Retry when the lock is released, or with a larger --wait.", databaseError: error)
        }
    }
}
