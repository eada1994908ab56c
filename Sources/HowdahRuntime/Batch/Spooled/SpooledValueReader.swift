import Foundation
import HowdahModel

/// Reads the output of ``SpooledValueWriter``.
struct SpooledValueReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    /// A Boolean value that indicates whether everything was read.
    var isAtEnd: Bool { offset >= bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads as many Booleans as `flags` has elements.
    mutating func flags(_ flags: inout [Bool]) {
        for place in flags.indices {
            flags[place] = bytes[offset + place / 8] & (1 << (place % 8)) != 0
        }
        offset += (flags.count + 7) / 8
    }

    /// Reads a value.
    mutating func value() -> Value {
        switch SpooledValueWriter.Tag(rawValue: integer(UInt8.self)) {
        case .null, nil: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(integer())
        case .double: return .double(Double(bitPattern: integer()))
        case .float: return .float(Float(bitPattern: integer()))
        case .decimal:
            // A decimal is plain memory, and the process is the one that wrote it.
            var number = Decimal.zero
            withUnsafeMutableBytes(of: &number) { copy(to: $0) }
            return .decimal(number)
        case .string: return .string(string())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: integer())))
        case .data:
            let count = integer(Int.self)
            defer { offset += count }
            return .data(Data(bytes[offset..<offset + count]))
        case .uuid:
            var uuid = UUID().uuid
            withUnsafeMutableBytes(of: &uuid) { copy(to: $0) }
            return .uuid(UUID(uuid: uuid))
        case .uri:
            let text = string()
            // Columns hold the text, however Foundation would read it.
            return ValueCoding.url(text).map(Value.uri) ?? .string(text)
        case .composite: return .composite(list())
        case .array: return .array(list())
        case .reference:
            let key = integer(Int64.self)
            return .reference(ObjectReference(key: key, entity: string()))
        }
    }

    /// Skips the output of ``SpooledValueWriter/sized(_:)``, and returns a reader of it.
    mutating func sized() -> SpooledValueReader {
        let count = integer(Int.self)
        let inner = self
        offset += count
        return inner
    }

    private mutating func integer<I: FixedWidthInteger & BitwiseCopyable>(_ type: I.Type = I.self) -> I {
        defer { offset += MemoryLayout<I>.size }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: I.self) }
    }

    private mutating func copy(to target: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + target.count]))
        }
        offset += target.count
    }

    private mutating func string() -> String {
        let count = integer(Int.self)
        defer { offset += count }
        return bytes.withUnsafeBytes { String(decoding: $0[offset..<offset + count], as: UTF8.self) }
    }

    private mutating func list() -> [Value] {
        let count = integer(Int.self)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(value()) }
        return values
    }
}
