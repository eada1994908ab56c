import HowdahModel
import PQClient

/// A row of a batch insertion, written as a dictionary literal whose values have different types.
///
/// ```swift
/// try await container.insert(
///     into: Job.self, from: (0..<500).map { ["kind": "mail \($0)", "number": $0, "payload": Data()] })
/// ```
/// For no value, write `String?.none` with the type of the property. The keys are those of ``BatchInsertRequest``. If a literal has a key twice, the last value applies. A value
/// is Sendable, because the rows are inserted on another thread.
public struct BatchInsertRow: Sendable, ExpressibleByDictionaryLiteral {
    let values: [String: (any Sendable)?]

    /// Creates a row of a dictionary.
    public init(_ values: [String: (any Sendable)?]) { self.values = values }

    /// Creates a row of a dictionary literal.
    ///
    /// The values are not optional. If they were, the compiler would take the parameter of a closure for an
    /// optional one, too. A text with it would be `Optional(1)`.
    public init(dictionaryLiteral elements: (String, any Sendable)...) {
        values = Dictionary(elements.map { ($0, $1) }) { _, last in last }
    }
}

extension BatchInsertRow: BatchRow {
    func write(by rows: inout BatchRows, key: Int64?, to cells: inout CellWriter) throws {
        try rows.write(values, key: key, to: &cells)
    }

    func values(by rows: inout BatchRows, key: Int64) throws -> [HowdahModel.Value] {
        try rows.values(values, key: key)
    }
}
