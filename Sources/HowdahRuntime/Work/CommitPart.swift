import PQClient

/// A part of a unit of work that is written in the round trip of its COMMIT.
protocol CommitPart: AnyObject {
    /// Returns the statements, in their order.
    func closingStatements() throws -> [(sql: String, parameters: Parameters)]
}
