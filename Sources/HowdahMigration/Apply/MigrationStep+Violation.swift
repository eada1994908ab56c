internal import PQClient

extension MigrationStep.Check {
    /// What is wrong, with examples, and what to do, as a sentence without its end; nil where nothing was found.
    ///
    /// - Parameter found: keys of objects, each with the number of all.
    func violation(_ found: [(Int64, Int64)]) -> String? {
        guard let count = found.first?.1 else { return nil }
        return message(found.map(\.0), of: count)
    }
}

extension MigrationStep {
    static let refusalsOfRows: Set<String> = [
        SQLState.uniqueViolation, SQLState.checkViolation, SQLState.notNullViolation,
        SQLState.foreignKeyViolation,
    ]

    /// What the server refused because of the rows, with examples where the step can look for them, as a sentence without
    /// its end.
    ///
    /// - Throws: `PostgresError`.
    func refusal(_ error: PostgresError, on connection: Connection) throws -> String {
        let message = "\(reason): rows of the store do not allow it"
        guard let check, let look else {
            // Of a rule other than the step's own, which rows that are written have to keep by now.
            return message + ": \(error.message)" + (error.detail.map { " (\($0))" } ?? "")
        }
        return try check.violation(connection.query(look, cached: false).map { ($0[0].int64, $0[1].int64) })
            ?? message
    }
}
