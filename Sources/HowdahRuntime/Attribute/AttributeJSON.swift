import Foundation
public import HowdahModel
import PQClient

/// A Codable type that can be the type of an attribute, stored as JSON in a `jsonb` column.
///
/// ```swift
/// struct Settings: AttributeJSON {
///     var theme = "light"
///     var window = Window()
/// }
/// ```
/// Key paths in formats can go into it: `settings.window.width > 100`. Strings are stored in NFC, dates as
/// ISO 8601 texts in milliseconds. If the type cannot be decoded from the JSON, the fetch or the fault fails
/// with `FetchError.invalidValue`.
public protocol AttributeJSON: AttributeValue, Codable, Hashable {
    /// Creates the value of a property before you set it, and of a fault that cannot be filled.
    init()
}

extension AttributeJSON {
    /// The attribute type, Transformable.
    public static var _attributeType: AttributeType { .transformable }
    /// The annotation that makes the column `jsonb`.
    public static var _userInfo: [String: String] { [MappingKey.jsonb: "true"] }
    /// The empty value.
    public static var _zero: Self { Self() }
    /// Reads the JSON; if it cannot be decoded, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> Self {
        let cell = row.next()
        if cell.isNull { return Self() }
        do {
            return try JSONCoding.decode(Self.self, cell.data())
        } catch {
            row.noteUndecodable(Self.self, error)
            return Self()
        }
    }
    /// Returns the value of JSON.
    public static func _make(_ value: Value) -> Self? {
        guard case .data(let data) = value else { return nil }
        return try? JSONCoding.decode(Self.self, data)
    }
    /// The JSON, with sorted keys. If the type cannot be encoded, it has no bytes, which no database accepts.
    public var _value: Value { .data((try? JSONCoding.encode(self)) ?? Data()) }
    /// The value after encoding and decoding.
    public var _stored: Self { Self._make(_value) ?? self }
}

/// The conversion between values and JSON.
private enum JSONCoding {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(dateStyle))
        }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        let data = try encoder.encode(value)
        return Data(String(decoding: data, as: UTF8.self).howdahNormalized.utf8)
    }

    static func decode<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try dateStyle.parse(text)
        }
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try decoder.decode(type, from: data)
    }

    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
