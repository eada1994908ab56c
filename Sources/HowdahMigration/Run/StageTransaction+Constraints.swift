internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// Checks the rows that were written against deferred rules of other programs. The server alters no table whose checks
    /// are outstanding.
    ///
    /// - Parameter last: The last step that wrote rows; nil if none did since the last check.
    /// - Throws: `MigrationError` with `unfitData` or `database`; `PostgresError` of a lock.
    func settleConstraints(_ last: inout Writer?) throws {
        guard let writer = last?.place else { return }
        last = nil
        do {
            try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE")
        } catch let error as PostgresError where !error.isOfLocks {
            if let refusal = try refusal(error, of: writer) { throw refusal }
            throw MigrationError(
                .database, "\(writer) \(error.outcome(aftermath))", databaseError: error)
        }
    }

    func place(of step: MigrationStep, _ number: Int) -> String {
        "Step \(number) of \(plan.steps.count) (\(step.reason))"
    }
}

extension MigrationStep {
    /// Indicates whether a statement writes rows, so that checks of them may be outstanding.
    static func isWriting(_ statement: String) -> Bool {
        ["INSERT ", "UPDATE ", "DELETE ", "WITH "].contains { statement.hasPrefix($0) }
    }

    /// Indicates whether rows are written after the last change of a table.
    var writesRowsLast: Bool { check == nil && statements.last.map(Self.isWriting) ?? false }
}
