/// Statements that are sent together: one round trip for all of them.
public struct Batch: Sendable {
    struct Entry: Sendable {
        let sql: String
        let parameters: Parameters
        let cached: Bool
        let subject: StatementSubject?
    }

    var entries: [Entry] = []
    /// A Boolean value that indicates whether the result of a statement is the number of rows that it wrote.
    private(set) var returnsCounts = false

    /// Creates an empty batch.
    public init() {}

    /// The number of statements.
    public var count: Int { entries.count }

    /// Appends one statement with parameters `$1`, `$2`, …; COPY is not possible.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - parameters: The values of the parameters, in this order.
    ///   - cached: Indicates whether the connection keeps the prepared statement. Constant text profits.
    public mutating func add(_ sql: String, _ parameters: Parameters = Parameters(), cached: Bool = true) {
        entries.append(Entry(sql: sql, parameters: parameters, cached: cached, subject: nil))
    }

    /// Appends one statement with the operation and the table that observers receive.
    package mutating func add(
        _ sql: String, _ parameters: Parameters = Parameters(), cached: Bool = true,
        about subject: StatementSubject?
    ) {
        if subject?.returnsCount == true { returnsCounts = true }
        entries.append(Entry(sql: sql, parameters: parameters, cached: cached, subject: subject))
    }
}
