import Foundation
import HowdahModel

/// A value of a store's metadata, of any type that property lists or JSON have.
///
/// Write literals: `["region": "eu", "shards": 4, "tags": ["a", "b"]]`. Store dates and data as strings.
public indirect enum MetadataValue: Hashable, Sendable {
    /// True or false.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A number with a fraction, neither infinite nor NaN.
    case double(Double)
    /// A text without U+0000.
    case string(String)
    /// Values in order.
    case array([MetadataValue])
    /// Values by name.
    case dictionary([String: MetadataValue])
    /// JSON's null, which is a value. To remove an entry, set it to nil.
    case null

    /// The maximum depth of arrays and dictionaries.
    static let maximumDepth = 64
    /// The maximum number of bytes of a value as JSON.
    static let maximumSize = 1 << 20

    /// Returns the value as JSON.
    ///
    /// - Throws: `StoreError` with `invalidMetadata`.
    func json(for key: String) throws(StoreError) -> String {
        var bytes: [UInt8] = []
        try append(to: &bytes, depth: 1, key)
        guard bytes.count <= Self.maximumSize else {
            throw Self.invalid(key, "has \(bytes.count) bytes as JSON, and the limit is \(Self.maximumSize)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8], depth: Int, _ key: String) throws(StoreError) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .double(let value):
            guard value.isFinite else { throw Self.invalid(key, "contains a number that is infinite or NaN") }
            bytes += "\(value)".utf8
        case .string(let text): try Self.append(text, to: &bytes, key)
        case .array(let values):
            try Self.check(depth, key)
            bytes += "[".utf8
            for (index, value) in values.enumerated() {
                if index > 0 { bytes += ",".utf8 }
                try value.append(to: &bytes, depth: depth + 1, key)
            }
            bytes += "]".utf8
        case .dictionary(let members):
            try Self.check(depth, key)
            bytes += "{".utf8
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes += ",".utf8 }
                try Self.append(member.key, to: &bytes, key)
                bytes += ":".utf8
                try member.value.append(to: &bytes, depth: depth + 1, key)
            }
            bytes += "}".utf8
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8], _ key: String) throws(StoreError) {
        if text.utf8.contains(0) { throw invalid(key, "contains a text with U+0000") }
        JSONValue.appendQuoted(text, to: &bytes)
    }

    private static func check(_ depth: Int, _ key: String) throws(StoreError) {
        guard depth > maximumDepth else { return }
        throw invalid(key, "has more than \(maximumDepth) nested levels")
    }

    private static func invalid(_ key: String, _ reason: String) -> StoreError {
        StoreError(.invalidMetadata, "The metadata value of '\(key)' \(reason). Give another value.")
    }

    /// Creates the value of JSON; nil if the text is not JSON, or is nested too deeply.
    package init?(json: String) {
        guard let value = try? JSONValueReader.read(Array(json.utf8), maximumDepth: Self.maximumDepth) else {
            return nil
        }
        self.init(value)
    }

    private init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let text):
            // A spelling with a fraction or an exponent is that of a Double.
            self = Int64(text).map { .integer($0) } ?? .double(Double(text) ?? .infinity)
        case .string(let text): self = .string(text)
        case .array(let values): self = .array(values.map { MetadataValue($0) })
        case .object(let members):
            self = .dictionary(
                Dictionary(
                    members.map { ($0.name, MetadataValue($0.value)) }, uniquingKeysWith: { _, last in last })
            )
        }
    }
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates values in order.
    public init(arrayLiteral elements: MetadataValue...) { self = .array(elements) }
    /// Creates values by name. If a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, MetadataValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension MetadataValue: Encodable {
    /// Encodes the value as JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}
