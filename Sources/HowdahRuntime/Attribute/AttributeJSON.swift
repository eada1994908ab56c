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
/// Predicates in formats lead into it: `settings.window.width > 100`. Strings come back in NFC, dates as ISO 8601 texts in
/// milliseconds. JSON that the type cannot be decoded from fails the fetch, or the fault, with `FetchError.invalidValue`.
public protocol AttributeJSON: AttributeValue, Codable, Hashable {
    /// What a property holds until it was set, and where a fault cannot be filled.
    init()
}

extension AttributeJSON {
    /// Transformable.
    public static var _attributeType: AttributeType { .transformable }
    /// The column is `jsonb`.
    public static var _userInfo: [String: String] { [MappingKey.jsonb: "true"] }
    /// The empty value.
    public static var _zero: Self { Self() }
    /// Reads the JSON; what cannot be decoded fails the fetch.
    public static func _read(_ row: inout RowReader) -> Self {
        let cell = row.next()
        if cell.isNull { return Self() }
        do {
            return try JSONCoding.decode(Self.self, cell.data())
        } catch {
            row.noteUndecodable(Self.self, error)
            return Self()
        }
    }
    /// The value of JSON.
    public static func _make(_ value: Value) -> Self? {
        guard case .data(let data) = value else { return nil }
        return try? JSONCoding.decode(Self.self, data)
    }
    /// The JSON, with sorted keys; without bytes, which no database takes, where the type refuses to be encoded.
    public var _value: Value { .data((try? JSONCoding.encode(self)) ?? Data()) }
    /// The value that the JSON stands for.
    public var _stored: Self { Self._make(_value) ?? self }
}

/// How values and JSON become each other.
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
