import Foundation
import HowdahModel

extension ArchivedExpression {
    /// A constant; an array for collections.
    mutating func value(_ number: Int) throws(ArchiveFault) -> Value {
        switch try archive.item(number) {
        case .null: return .null
        case .value(let node): return try Self.value(node)
        case .object(let object):
            return try nested { (reader) throws(ArchiveFault) in try reader.value(of: object) }
        }
    }

    private static func value(_ node: BinaryPropertyList.Node) throws(ArchiveFault) -> Value {
        switch node {
        case .boolean(let flag): return .bool(flag)
        case .integer(let integer): return .int(integer)
        case .real(let double): return .double(double)
        case .date(let seconds): return Value.date(Date(timeIntervalSinceReferenceDate: seconds)).normalized
        case .data(let bytes): return .data(Data(bytes))
        case .string(let text): return Value.string(text).normalized
        case .null: return .null
        case .uid, .array, .dictionary: throw .truncated
        }
    }

    private mutating func value(of object: KeyedArchive.Object) throws(ArchiveFault) -> Value {
        switch object.className {
        case "NSNull": return .null
        case "NSString", "NSMutableString":
            return Value.string(try archive.text("NS.string", of: object)).normalized
        case "NSDate":
            switch try value(try field("NS.time", of: object)) {
            case .double(let seconds):
                return Value.date(Date(timeIntervalSinceReferenceDate: seconds)).normalized
            case .int(let seconds): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
            default: throw ArchiveFault.damaged("an NSDate has no time")
            }
        case "NSData", "NSMutableData":
            guard case .data(let data) = try value(try field("NS.data", of: object)) else {
                throw ArchiveFault.damaged("an \(object.className) has no bytes")
            }
            return .data(data)
        case "NSUUID":
            guard case .data(let data) = try value(try field("NS.uuidbytes", of: object)), data.count == 16,
                let uuid = UUID(bytes: data)
            else { throw ArchiveFault.damaged("an NSUUID does not have 16 bytes") }
            return .uuid(uuid)
        case "NSURL":
            guard case .null = try value(try field("NS.base", of: object)) else {
                throw ArchiveFault("The expression uses a relative URL as a value. Use an absolute URL.")
            }
            guard let url = URL(string: try archive.text("NS.relative", of: object)) else {
                throw ArchiveFault.damaged("an NSURL is not a valid URL")
            }
            return .uri(url)
        case "NSDecimalNumber": return try decimal(object)
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
            var members: [Value] = []
            for member in try archive.members(of: object) {
                let value = try value(member)
                if case .array = value {
                    throw ArchiveFault(
                        "The expression has a collection inside of another collection. Use one collection, or compute "
                            + "the value in the entity's migration policy."
                    )
                }
                members.append(value)
            }
            return .array(members)
        default:
            throw ArchiveFault(
                "The expression has a value of the class \(object.className), which is not supported. Use a "
                    + "number, string, date, Data, UUID, URL or a collection of them, or compute the value in "
                    + "the entity's migration policy.")
        }
    }

    /// Up to eight digits of base 65,536, the lowest first, each in the byte order that the archive says.
    private mutating func decimal(_ object: KeyedArchive.Object) throws(ArchiveFault) -> Value {
        guard case .data(let mantissa) = try value(try field("NS.mantissa", of: object)), mantissa.count == 16
        else { throw ArchiveFault.damaged("an NSDecimalNumber has no mantissa") }
        let length = try archive.integer("NS.length", of: object) ?? 8
        let exponent = try archive.integer("NS.exponent", of: object) ?? 0
        let isNegative = try archive.integer("NS.negative", of: object) ?? 0 != 0
        let isBigEndian = try archive.integer("NS.mantissa.bo", of: object) == 2
        guard (0...8).contains(length), (-128...127).contains(exponent) else {
            throw ArchiveFault.damaged("an NSDecimalNumber is not a number")
        }
        if length == 0, isNegative { return .decimal(.nan) }
        let bytes = Array(mantissa)
        var result = Decimal(0)
        for digit in (0..<length).reversed() {
            let (low, high) = isBigEndian ? (2 * digit + 1, 2 * digit) : (2 * digit, 2 * digit + 1)
            result = result * 65_536 + Decimal(Int(bytes[low]) | Int(bytes[high]) << 8)
        }
        result = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: result)
        return .decimal(result)
    }

    /// A dictionary of texts, and the keys of what is in it beside.
    static func userInfo(
        _ bytes: [UInt8]
    ) throws(ArchiveFault) -> (entries: [String: String], unread: [String]) {
        var archive = try KeyedArchive(bytes)
        guard case .object(let object) = try archive.item(archive.root),
            ["NSDictionary", "NSMutableDictionary"].contains(object.className)
        else { throw ArchiveFault.damaged("it is not a dictionary") }
        let keys = try archive.members(of: object, "NS.keys")
        let values = try archive.members(of: object)
        guard keys.count == values.count else { throw .truncated }
        var entries: [String: String] = [:]
        var unread: [String] = []
        for (key, value) in zip(keys, values) {
            guard let name = try archive.text(key) else {
                throw ArchiveFault.damaged("a key is not a string")
            }
            switch try archive.item(value) {
            case .value(.integer(let number)): entries[name] = String(number)
            case .value(.real(let number)): entries[name] = String(number)
            case .value(.boolean(let flag)): entries[name] = flag ? "YES" : "NO"
            default:
                if let text = try archive.text(value) { entries[name] = text } else { unread.append(name) }
            }
        }
        return (entries, unread)
    }
}

extension UUID {
    fileprivate init?(bytes: Data) {
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        guard text.count == 32 else { return nil }
        var parts: [Substring] = []
        var rest = Substring(text)
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        self.init(uuidString: parts.joined(separator: "-"))
    }
}
