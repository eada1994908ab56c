/// A reader for the messages of a binary `COPY … TO STDOUT`.
///
/// Source: PostgreSQL, COPY, "Binary Format".
struct CopyReader {
    private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]

    private let cells: UnsafeMutablePointer<Cell>
    /// The length of each column's values; -1 if they differ in length.
    private let widths: [Int32]
    private var isFirst = true
    /// The number of rows so far.
    private(set) var count = 0

    init(types: [OID]) {
        widths = types.map(\.width)
        cells = .allocate(capacity: max(1, types.count))
        cells.initialize(repeating: Cell(start: nil, length: -1), count: max(1, types.count))
    }

    func deallocate() { cells.deallocate() }

    /// Returns the row in a message; nil if the message does not hold one.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if the row is not of the described types, because
    ///   another program altered the table meanwhile.
    mutating func row(_ message: UnsafeRawBufferPointer) throws -> Row? {
        var place = 0
        if isFirst {
            place = try skipHeader(message)
            isFirst = false
            if place == message.count { return nil }
        }
        let fields: Int16 = try integer(message, &place)
        // -1 ends the data.
        if fields < 0 { return nil }
        guard Int(fields) == widths.count else { throw Self.altered() }
        for column in 0..<widths.count {
            let length: Int32 = try integer(message, &place)
            guard length >= 0 else {
                cells[column] = Cell(start: nil, length: -1)
                continue
            }
            let width = widths[column]
            guard width < 0 || width == length, Int(length) <= message.count &- place,
                let base = message.baseAddress
            else { throw Self.altered() }
            cells[column] = Cell(
                start: (base + place).assumingMemoryBound(to: UInt8.self), length: length)
            place &+= Int(length)
        }
        count += 1
        return Row(cells: cells, count: widths.count)
    }

    private func skipHeader(_ message: UnsafeRawBufferPointer) throws -> Int {
        guard message.count >= 19, message.starts(with: Self.signature) else { throw Self.altered() }
        var place = 15
        let added: Int32 = try integer(message, &place)
        guard added >= 0, place + Int(added) <= message.count else { throw Self.altered() }
        return place + Int(added)
    }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(
        _ message: UnsafeRawBufferPointer, _ place: inout Int
    ) throws -> I {
        let size = MemoryLayout<I>.size
        guard message.count &- place >= size else { throw Self.altered() }
        let value = I(bigEndian: message.loadUnaligned(fromByteOffset: place, as: I.self))
        place &+= size
        return value
    }

    private static func altered() -> PostgresError {
        PostgresError(
            .invalidValue,
            "A row has other types than the statement described: the table was altered meanwhile. Run the statement "
                + "again.",
            phase: .decode)
    }
}

extension OID {
    /// The number of bytes of a value in binary; -1 if values differ in length.
    fileprivate var width: Int32 {
        switch self {
        case .bool: 1
        case .int2: 2
        case .int4, .float4: 4
        case .int8, .float8, .timestamptz: 8
        case .uuid: 16
        default: -1
        }
    }
}
