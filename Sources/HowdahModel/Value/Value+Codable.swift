internal import Foundation

/// The coding of a value: one key names the case, and its payload is exact.
///
/// A decoded value is equal to the encoded one, bit for bit. JSON has no NaN and no exact binary fractions.
/// Floating-point numbers and decimals are therefore text.
extension Value: Codable {
    /// The forms of those types that are text in JSON.
    fileprivate static let forms = [
        "double": "a number such as \"0.5\"", "float": "a number such as \"0.5\"",
        "decimal": "a number such as \"12.50\"",
        "date": "the seconds since 2001-01-01 00:00 UTC, such as \"0.0\"", "data": "Base64",
        "uuid": "32 hexadecimal digits with hyphens, such as \"01234567-89AB-CDEF-0123-456789ABCDEF\"",
        "uri": "an address such as \"https://example.org\"",
    ]

    private enum CodingKeys: String, CodingKey {
        case null, bool, int, double, float, decimal, string, date, data, uuid, uri, composite, array,
            reference
    }

    /// Encodes the value under the one key of its case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: try container.encode(true, forKey: .null)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .int(let value): try container.encode(value, forKey: .int)
        case .double(let value): try container.encode(value.description, forKey: .double)
        case .float(let value): try container.encode(value.description, forKey: .float)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.timeIntervalSinceReferenceDate.description, forKey: .date)
        case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .uri(let value): try container.encode(value.absoluteString, forKey: .uri)
        case .composite(let values): try container.encode(values, forKey: .composite)
        case .array(let values): try container.encode(values, forKey: .array)
        case .reference(let value): try container.encode(value, forKey: .reference)
        }
    }

    /// Creates a value from the form that ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` if there is not exactly one known key, or if its payload is not of its case.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "A value needs exactly one key that names its type. Use one key, such "
                        + "as \"string\"."))
        }
        switch key {
        case .null: self = .null
        case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
        case .int: self = .int(try container.decode(Int64.self, forKey: key))
        case .double: self = .double(try container.parsed(key, Double.init))
        case .float: self = .float(try container.parsed(key, Float.init))
        case .decimal:
            self = .decimal(
                try container.parsed(key) { text in
                    if text == Decimal.nan.description { return .nan }
                    // Decimal reads as far as it can, and would take "12 kg" for 12.
                    let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
                    return isNumber && Double(text) != nil ? Decimal(string: text) : nil
                })
        case .string: self = .string(try container.decode(String.self, forKey: key))
        case .date:
            let seconds: Double = try container.parsed(key, Double.init)
            self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data: self = .data(try container.parsed(key) { Data(base64Encoded: $0) })
        case .uuid: self = .uuid(try container.parsed(key, UUID.init(uuidString:)))
        case .uri: self = .uri(try container.parsed(key, URL.init(string:)))
        case .composite: self = .composite(try container.decode([Value].self, forKey: key))
        case .array: self = .array(try container.decode([Value].self, forKey: key))
        case .reference: self = .reference(try container.decode(ObjectReference.self, forKey: key))
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func parsed<T>(_ key: Key, _ parse: (String) -> T?) throws -> T {
        let text = try decode(String.self, forKey: key)
        guard let value = parse(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\"\(text)\" is not a value of type \(key.stringValue)"
                    + (Value.forms[key.stringValue].map { ". Write \($0)." } ?? "."))
        }
        return value
    }
}
