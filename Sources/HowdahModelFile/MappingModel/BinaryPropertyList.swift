/// Reads single objects of a binary property list, each when it is asked for.
///
/// Foundation's reader keeps the references of keyed archives (UIDs) to itself, and builds everything at once. Here every
/// offset and length is checked against the bytes, and each object that is read counts against a budget, so that neither
/// counts nor objects that share bytes make more of a list than it has bytes.
struct BinaryPropertyList {
    /// One object; what is in collections is given by its number.
    enum Node: Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since the beginning of 2001.
        case date(Double)
        case data([UInt8])
        case string(String)
        case uid(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    enum Limit {
        static let bytes = 1 << 20
        /// Bytes of objects that are read, each as often as that is done.
        static let work = 1 << 23
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    private var work = 0
    /// How many objects there are.
    let count: Int
    /// The number of the outermost object.
    let top: Int

    /// - Throws: ``ArchiveFault`` where the beginning or the end of the bytes is not that of a list.
    init(_ bytes: [UInt8]) throws(ArchiveFault) {
        guard bytes.count <= Limit.bytes else { throw .tooLarge }
        guard bytes.starts(with: Array("bplist00".utf8)), bytes.count >= 8 + 32 else {
            throw ArchiveFault.damaged("it is not a binary property list")
        }
        self.bytes = bytes
        let trailer = bytes.count - 32
        func number(at offset: Int) -> Int? {
            Self.unsigned(bytes[(trailer + offset)..<(trailer + offset + 8)])
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = number(at: 8),
            let top = number(at: 16), let table = number(at: 24), table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize, top < count
        else { throw .truncated }
        (self.count, self.top, self.table) = (count, top, table)
    }

    /// The object of that number.
    mutating func node(_ number: Int) throws(ArchiveFault) -> Node {
        guard number >= 0, number < count else { throw .truncated }
        let entry = table + number * offsetSize
        guard let offset = Self.unsigned(bytes[entry..<(entry + offsetSize)]), offset >= 8, offset < table
        else {
            throw .truncated
        }
        try spend(1)
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        var cursor = offset + 1
        switch marker >> 4 {
        case 0x0 where low == 0: return .null
        case 0x0 where low == 8 || low == 9: return .boolean(low == 9)
        case 0x1 where low <= 3:
            let raw = try take(1 << low, &cursor)
            // Eight bytes are signed, fewer are not.
            return .integer(Int64(truncatingIfNeeded: raw.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case 0x2 where low == 2 || low == 3: return .real(try real(1 << low, &cursor))
        case 0x3 where low == 3: return .date(try real(8, &cursor))
        case 0x4: return .data(Array(try take(try length(low, &cursor), &cursor)))
        case 0x5:
            let text = try take(try length(low, &cursor), &cursor)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw .truncated }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let text = try take(try length(low, &cursor), times: 2, &cursor)
            let first = text.startIndex
            let units = (0..<text.count / 2).map {
                UInt16(text[first + 2 * $0]) << 8 | UInt16(text[first + 2 * $0 + 1])
            }
            guard let string = String(validating: units, as: UTF16.self) else { throw .truncated }
            return .string(string)
        case 0x8:
            guard let uid = Self.unsigned(try take(low + 1, &cursor)) else { throw .truncated }
            return .uid(uid)
        case 0xA: return .array(try references(try length(low, &cursor), &cursor))
        case 0xD:
            let count = try length(low, &cursor)
            let keys = try references(count, &cursor)
            return .dictionary(keys: keys, values: try references(count, &cursor))
        default:
            throw ArchiveFault.damaged("an object is of an unknown kind")
        }
    }

    private mutating func spend(_ amount: Int) throws(ArchiveFault) {
        work += amount
        guard work <= Limit.work else { throw .tooLarge }
    }

    private mutating func take(
        _ count: Int, times size: Int = 1, _ cursor: inout Int
    ) throws(ArchiveFault) -> ArraySlice<UInt8> {
        guard count >= 0, count <= (table - cursor) / size else { throw .truncated }
        let end = cursor + count * size
        try spend(count * size)
        defer { cursor = end }
        return bytes[cursor..<end]
    }

    /// The count of a marker, which stands behind it where four bits are too few.
    private mutating func length(_ low: Int, _ cursor: inout Int) throws(ArchiveFault) -> Int {
        guard low == 0x0F else { return low }
        let marker = try take(1, &cursor)[cursor - 1]
        guard marker >> 4 == 0x1, marker & 0x0F <= 3,
            let count = Self.unsigned(try take(1 << Int(marker & 0x0F), &cursor))
        else { throw .truncated }
        return count
    }

    private mutating func references(_ count: Int, _ cursor: inout Int) throws(ArchiveFault) -> [Int] {
        let raw = try take(count, times: referenceSize, &cursor)
        var references: [Int] = []
        references.reserveCapacity(count)
        for place in 0..<count {
            let start = raw.startIndex + place * referenceSize
            guard let number = Self.unsigned(raw[start..<(start + referenceSize)]), number < self.count else {
                throw .truncated
            }
            references.append(number)
        }
        return references
    }

    private mutating func real(_ size: Int, _ cursor: inout Int) throws(ArchiveFault) -> Double {
        let raw = try take(size, &cursor).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Double(Float(bitPattern: UInt32(raw))) : Double(bitPattern: raw)
    }

    /// A big-endian number; nil where it is beyond what any length can be.
    private static func unsigned(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }).flatMap { $0 < 1 << 48 ? $0 : nil }
    }
}
