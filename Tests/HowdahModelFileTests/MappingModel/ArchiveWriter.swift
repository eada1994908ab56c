/// Writes keyed archives as binary property lists, for tests of what reads them.
struct ArchiveWriter {
    /// What a property list holds.
    indirect enum Item {
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case data([UInt8])
        case string(String)
        case uid(Int)
        case array([Item])
        case dictionary([(String, Item)])
    }

    private var objects: [Item] = [.string("$null")]
    private var classes: [String: Int] = [:]

    /// Adds an object with a class, and returns the reference to it.
    mutating func add(_ className: String, _ fields: [(String, Item)]) -> Item {
        let type: Int
        if let known = classes[className] {
            type = known
        } else {
            objects.append(
                .dictionary([
                    ("$classname", .string(className)),
                    ("$classes", .array([.string(className), .string("NSObject")])),
                ]))
            type = objects.count - 1
            classes[className] = type
        }
        return add(.dictionary(fields + [("$class", .uid(type))]))
    }

    /// Adds a value of its own, and returns the reference to it.
    mutating func add(_ value: Item) -> Item {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// The next object's number, for objects that refer to themselves.
    var nextUID: Int { objects.count }

    func bytes(root: Item) -> [UInt8] {
        Self.list(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
            ]))
    }

    /// A whole binary property list.
    static func list(_ item: Item) -> [UInt8] {
        var writer = Writer()
        let top = writer.write(item)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in writer.objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += big(offset, 4) }
        return bytes + [0, 0, 0, 0, 0, 0, 4, 2] + big(offsets.count, 8) + big(top, 8) + big(table, 8)
    }

    private static func big(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private struct Writer {
        var objects: [[UInt8]] = []

        mutating func write(_ item: Item) -> Int {
            let bytes: [UInt8]
            switch item {
            case .boolean(let flag): bytes = [flag ? 0x09 : 0x08]
            case .integer(let number):
                bytes = [0x13] + big(Int(number), 8)
            case .real(let number): bytes = [0x23] + big(Int(bitPattern: UInt(number.bitPattern)), 8)
            case .data(let data): bytes = marker(0x40, data.count) + data
            case .string(let text) where text.utf8.allSatisfy({ $0 < 0x80 }):
                bytes = marker(0x50, text.utf8.count) + Array(text.utf8)
            case .string(let text):
                bytes = marker(0x60, text.utf16.count) + text.utf16.flatMap { big(Int($0), 2) }
            case .uid(let uid): bytes = [0x81] + big(uid, 2)
            case .array(let members):
                let numbers = members.map { write($0) }
                bytes = marker(0xA0, numbers.count) + numbers.flatMap { big($0, 2) }
            case .dictionary(let fields):
                let keys = fields.map { write(.string($0.0)) }
                let values = fields.map { write($0.1) }
                bytes = marker(0xD0, keys.count) + (keys + values).flatMap { big($0, 2) }
            }
            objects.append(bytes)
            return objects.count - 1
        }

        private func big(_ number: Int, _ size: Int) -> [UInt8] { ArchiveWriter.big(number, size) }

        private func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
            count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + big(count, 4)
        }
    }
}
