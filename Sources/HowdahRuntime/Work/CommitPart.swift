import PQClient

/// What a unit of work writes in the round trip of its COMMIT.
protocol CommitPart: AnyObject {
    /// Returns the statements, in their order.
    func closingStatements() throws -> [(sql: String, parameters: Parameters)]
}
