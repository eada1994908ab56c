/// The parameters of one statement, `$1` and following, in one buffer.
///
/// A statement takes at most 65,535 parameters and 256 MB.
public struct Parameters: Sendable {
    var writer = CellWriter()
    /// The type of each parameter.
    var types: [OID] = []
    /// The offset of the cell of each parameter.
    var offsets: [Int] = []

    /// Creates an empty list of parameters.
    public init() {}

    /// Creates an empty list with room for some parameters of fixed size.
    package init(capacity: Int) {
        types.reserveCapacity(capacity)
        offsets.reserveCapacity(capacity)
        writer.buffer.reserveCapacity(capacity * 16)
    }

    /// The number of parameters.
    public var count: Int { types.count }

    /// Appends one parameter of `type`.
    ///
    /// - Parameters:
    ///   - type: The type of the parameter.
    ///   - body: The closure that writes exactly one cell.
    public mutating func append(_ type: OID, _ body: (inout CellWriter) throws -> Void) rethrows {
        let start = writer.buffer.count
        writer.cellCount = 0
        do {
            try body(&writer)
        } catch {
            writer.truncate(to: start)
            throw error
        }
        precondition(
            writer.cellCount == 1,
            "The body of append(_:_:) did not write exactly one cell. Write one cell in it.")
        types.append(type)
        offsets.append(start)
    }

    /// Appends one parameter that is an array of `element`.
    ///
    /// - Parameters:
    ///   - element: The type of the elements.
    ///   - count: The number of elements.
    ///   - body: The closure that writes exactly `count` cells; NULL elements are possible.
    public mutating func appendArray(
        of element: OID, count: Int, _ body: (inout CellWriter) throws -> Void
    ) rethrows {
        guard let type = element.array else {
            preconditionFailure(
                "The array type of the element type with OID \(element.rawValue) is unknown. Call append(_:_:) "
                    + "with the OID of the array type, and write the elements with array(of:count:_:)."
            )
        }
        let start = writer.buffer.count
        try writer.array(of: element, count: count, body)
        types.append(type)
        offsets.append(start)
    }

    /// Appends SQL NULL of `type`.
    public mutating func appendNull(_ type: OID) { append(type) { $0.null() } }
}

extension Parameters {
    /// Appends a `bigint`.
    public mutating func append(_ value: Int64) { append(.int8) { $0.int64(value) } }

    /// Appends a `boolean`.
    public mutating func append(_ value: Bool) { append(.bool) { $0.bool(value) } }

    /// Appends a `text`.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if `value` holds U+0000.
    public mutating func append(_ value: String) throws { try append(.text) { try $0.string(value) } }

    /// Appends a `bigint[]`.
    public mutating func append(_ values: [Int64]) {
        appendArray(of: .int8, count: values.count) { cells in
            for value in values { cells.int64(value) }
        }
    }
}
