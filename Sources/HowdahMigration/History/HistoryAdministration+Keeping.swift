internal import HowdahSchema
internal import PQClient

extension HistoryAdministration {
    /// Writes a heartbeat, lets programs write another slot if the current one is due, and truncates slots that are over.
    ///
    /// Containers do the same while they are open.
    ///
    /// - Returns: The numbers of the truncated slots.
    /// - Throws: `MigrationError` with `noHistory`, `otherHistory`, `missingGrant` or `database`.
    @discardableResult
    package func keep() throws -> [Int] {
        try Self.asProgram {
            let isStandby = try connection.query("SELECT pg_catalog.pg_is_in_recovery()", cached: false)
            if isStandby.scalar({ $0.isTrue }) == true { throw MigrationError.onStandby }
            _ = try record()
            try call(.heartbeat)
            try call(.rotate)
            return try (0..<HistoryTables.slots).filter { try call(.purge, "\($0)::pg_catalog.int2") }
        }
    }

    /// Truncates the slots whose changes are older than the retention and were read by all consumers.
    ///
    /// - Returns: The numbers of the truncated slots.
    /// - Throws: `MigrationError` as ``keep()``.
    package func purge() throws -> [Int] { try keep() }

    /// Runs `body` as an operator with the role of a program, whose rights are granted and not inherited from the owner.
    static func asProgram<T>(_ body: () throws -> T) throws -> T {
        try MigrationError.wrapping {
            do {
                return try body()
            } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
                throw MigrationError(
                    .missingGrant,
                    "The role of the connection lacks a right on the history. Run howdah migrate doctor --role NAME as the owner "
                        + "of the store, and grant the rights that it lists.", databaseError: error)
            } catch let error as PostgresError where error.isOfRecovery {
                throw MigrationError(
                    .database, "The server is a standby. Use the address of the primary server.",
                    databaseError: error)
            } catch let error as PostgresError where error.sqlState == SQLState.undefinedFunction {
                throw MigrationError(
                    .database,
                    "A function of the history is missing. Run howdah history enable, which creates it again.",
                    databaseError: error)
            }
        }
    }

    /// Calls a function in a transaction with the isolation that it needs.
    @discardableResult
    private func call(_ function: HistoryTables.Function, _ argument: String = "") throws -> Bool {
        try connection.begin(isolation: .readCommitted)
        do {
            let result = try connection.query(
                "SELECT \(tables.name(of: function))(\(argument))", cached: false
            ).map { $0[0].isTrue }.first
            try connection.commit()
            return result ?? false
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }
}

extension PostgresError {
    /// A Boolean value that indicates whether the server refused to tell places in its log because it is a standby.
    fileprivate var isOfRecovery: Bool {
        // What functions on the log answer there is object_not_in_prerequisite_state.
        ["55000", SQLState.readOnlyTransaction].contains(sqlState)
    }
}
