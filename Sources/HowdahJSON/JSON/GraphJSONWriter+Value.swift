import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

extension GraphJSONWriter {
    /// Writes an attribute's value; `docs/graph-json.md` has the table.
    ///
    /// - Throws: `FetchError.invalidValue` if a `jsonb` attribute's value is not JSON, or if a date cannot be
    ///   stored.
    mutating func value(_ value: Value, of attribute: AttributeDescription) throws {
        if attribute.isStoredAsJSON, case .data(let data) = value { return try document(data) }
        try self.value(value, ofType: attribute.type)
    }

    private mutating func value(_ value: Value, ofType type: AttributeType) throws {
        switch value {
        case .null: word("null")
        case .bool(let flag): word(flag ? "true" : "false")
        case .int(let number): word(String(number))
        case .double(let number): floatingPoint(number)
        case .float(let number): floatingPoint(number)
        case .decimal(let number): if number.isNaN { string("NaN") } else { word(number.description) }
        case .string(let text): string(text)
        case .date(let date): string(Timestamp.iso8601(try microseconds(of: date)))
        case .data(let data): string(data.base64EncodedString())
        case .uuid(let uuid): string(uuid.uuidString.lowercased())
        case .uri(let url): string(url.absoluteString)
        case .reference: word("null")
        case .array(let elements):
            try array {
                for element in elements { try $0.value(element, ofType: type.element ?? .undefined) }
            }
        case .composite(let elements):
            let named = zip(type.composite?.elements ?? [], elements).filter { $0.0.isStored }
                .sorted { $0.0.name.utf8.lexicographicallyPrecedes($1.0.name.utf8) }
            try object {
                for (attribute, element) in named {
                    $0.name(attribute.name)
                    try $0.value(element, of: attribute)
                }
            }
        }
    }

    private mutating func floatingPoint(_ number: some BinaryFloatingPoint & CustomStringConvertible) {
        if number.isFinite {
            word(number.description)
        } else {
            string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
        }
    }

    private func microseconds(of date: Date) throws -> Int64 {
        do {
            return try Timestamp.microseconds(of: date)
        } catch {
            throw FetchError(
                .invalidValue,
                "A date is outside the range of PostgreSQL (4714 BC to 294276 AD). Set a date within this "
                    + "range.",
                databaseError: error as? PostgresError)
        }
    }

    /// Writes JSON unchanged. `@json` encloses JSON that would read as no value, or as such an enclosure.
    private mutating func document(_ data: Data) throws {
        guard let json = try? JSONValueReader.read(Array(data), maximumDepth: Self.documentDepth) else {
            throw FetchError(
                .invalidValue,
                "The value of a jsonb attribute is not JSON. Set it to the bytes of a JSON text.")
        }
        guard json.isEnclosed else { return value(json) }
        object {
            $0.name(JSONValue.documentName)
            $0.value(json)
        }
    }

    /// The maximum depth of an attribute's JSON.
    static let documentDepth = 512
}

extension JSONValue {
    static let documentName = "@json"

    fileprivate var isEnclosed: Bool {
        switch self {
        case .null: true
        case .object(let members): members.contains { $0.name == Self.documentName }
        default: false
        }
    }

    /// The canonical text.
    var canonical: [UInt8] {
        var writer = GraphJSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
