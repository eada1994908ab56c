public import HowdahRuntime
package import PQClient

/// Runs `body` and checks the number of statements on entity tables that it sent.
///
/// - Throws: ``UnexpectedStatements`` listing each statement with its rows if the number differs. The error
///   of the body.
@discardableResult
nonisolated(nonsending)
    public func expectStatements<T>(
        _ count: Int, on container: PersistentContainer, _ body: () async throws -> T
    ) async throws -> T
{
    container.statementLog.start()
    let result = try await body()
    let statements = container.statementLog.statements
    guard statements.count == count else {
        throw UnexpectedStatements(expected: count, statements: statements)
    }
    return result
}

/// An error for another number of statements than a test expected, with the SQL and the rows of each.
public struct UnexpectedStatements: Error, CustomStringConvertible {
    /// The expected number.
    public let expected: Int
    /// Each statement, with the number of its rows before it.
    public let statements: [String]

    package init(expected: Int, statements: [StatementEvent]) {
        self.expected = expected
        self.statements = statements.map { "\($0.rows) rows: \($0.sql)" }
    }

    /// The numbers and the list.
    public var description: String {
        "Expected \(expected) statement\(expected == 1 ? "" : "s"), but \(statements.count) were sent"
            + (statements.isEmpty ? "." : ":\n" + statements.joined(separator: "\n"))
    }
}
