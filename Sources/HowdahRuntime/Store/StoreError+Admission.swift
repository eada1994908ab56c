import PQClient

extension StoreError {
    static func closed(_ error: PostgresError? = nil) -> StoreError {
        StoreError(.closed, "The container was closed. Open the container again.", databaseError: error)
    }

    static func overloaded(after wait: Duration, _ error: PostgresError? = nil) -> StoreError {
        StoreError(
            .overloaded,
            "No connection became free within \(wait). Retry later, raise StoreOptions.maximumConnections, or shorten "
                + "the units of work.", databaseError: error)
    }

    static func full(_ waiting: Int) -> StoreError {
        StoreError(
            .overloaded,
            "\(waiting) units of work wait already, which is the limit StoreOptions.maximumWaitingUnits. Retry later."
        )
    }

    /// The error of a unit of work that could not begin in time.
    static var lateStart: StoreError {
        StoreError(
            .deadlineExceeded,
            "The timeout of perform(timeout:) expired before the unit of work could begin. Set a longer timeout, or "
                + "retry later.")
    }

    /// The error for a session that prefers other schemas' operators and types to PostgreSQL's own.
    static var foreignNamesFirst: StoreError {
        StoreError(
            .unsuitableDatabase,
            "search_path names pg_catalog after other schemas, so that their operators and types precede "
                + "PostgreSQL's own. Remove pg_catalog from search_path, or name pg_catalog first: in ALTER ROLE or "
                + "ALTER DATABASE … SET search_path, or in the connection string.")
    }
}
