/// A row of a batch insertion that was not stored.
public struct RefusedRow: Sendable, CustomStringConvertible {
    /// The number of the row in the source, counted from 1.
    public let row: Int
    /// The rules of the model or of the database that refuse the row; their messages contain no values.
    public let issues: [ValidationIssue]

    /// The issues, each with entity, property, row and message.
    public var description: String { issues.map(\.description).joined(separator: " ") }
}
