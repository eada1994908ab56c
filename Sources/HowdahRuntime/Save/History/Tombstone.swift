import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// The preserved values of a deleted object, as a JSON object by the stored names of its attributes.
///
/// Its values look as the server's `to_jsonb` makes them, or as strings.
struct Tombstone {
    /// The expression for the preserved values of a row of an entity or its descendants, as text; nil if no attribute is
    /// preserved.
    ///
    /// The table of a hierarchy has columns for all of its entities. Those of other entities are left out.
    static func selection(of layout: EntityLayout, _ layouts: [EntityLayout], _ alias: String) -> String? {
        let objects = layout.family.map { (layouts[$0].storedName, object(of: layouts[$0], alias)) }
        let kinds = Set(objects.map(\.1))
        guard kinds != [nil] else { return nil }
        guard kinds.count > 1, let discriminator = layout.discriminator else {
            return objects[0].1.map { "\($0)::pg_catalog.text" }
        }
        let cases = objects.compactMap { name, object in
            object.map { "WHEN \(SQLLiteral.string(name)) THEN \($0)" }
        }
        return "(CASE \(alias).\(discriminator) \(cases.joined(separator: " ")) END)::pg_catalog.text"
    }

    private static func object(of entity: EntityLayout, _ alias: String) -> String? {
        let values = entity.preservedSlots.compactMap { slot -> String? in
            guard let attribute = entity.attribute(slot) else { return nil }
            var columns = entity.slots[slot].columns.map { "\(alias).\(entity.columns[$0].name)" }[...]
            let name = SQLLiteral.string(entity.storedNames[slot])
            let isDocument = attribute.description.isStoredAsJSON
            return "\(name), \(PreservedValue.json(attribute.type, isDocument: isDocument, &columns))"
        }
        return values.isEmpty ? nil : "pg_catalog.jsonb_build_object(\(values.joined(separator: ", ")))"
    }

    /// Returns the stored values of a loaded object; nil if no attribute is preserved.
    static func text(of object: ManagedObject) -> String? {
        let layout = object.layout
        if layout.preservedSlots.isEmpty { return nil }
        var bytes = Array("{".utf8)
        for slot in layout.preservedSlots {
            guard let attribute = layout.attribute(slot), case .value(let value) = object.read(slot) else {
                continue
            }
            if bytes.count > 1 { bytes += ",".utf8 }
            JSONValue.appendQuoted(layout.storedNames[slot], to: &bytes)
            bytes += ":".utf8
            append(value, attribute.type, to: &bytes)
        }
        return String(decoding: bytes + "}".utf8, as: UTF8.self)
    }

    private static func append(_ value: Value, _ type: AttributeType?, to bytes: inout [UInt8]) {
        func text(_ text: String) { JSONValue.appendQuoted(text, to: &bytes) }
        switch value {
        case .null, .reference: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .int(let value): bytes += String(value).utf8
        case .double(let value): text(value.description)
        case .float(let value): text(value.description)
        case .decimal(let value): text(value.description)
        case .string(let value): text(value)
        case .date(let value): text((try? Timestamp.microseconds(of: value)).map(Timestamp.iso8601) ?? "")
        case .data(let value): text(value.base64EncodedString())
        case .uuid(let value): text(value.uuidString)
        case .uri(let value): text(value.absoluteString)
        case .array(let values):
            list(values, "[", "]", to: &bytes) { value, bytes in append(value, type?.element, to: &bytes) }
        case .composite(let values):
            let elements = type?.composite?.elements ?? []
            list(Array(zip(elements, values)), "{", "}", to: &bytes) { pair, bytes in
                JSONValue.appendQuoted(pair.0.renamingIdentifier ?? pair.0.name, to: &bytes)
                bytes += ":".utf8
                append(pair.1, pair.0.type, to: &bytes)
            }
        }
    }

    private static func list<T>(
        _ values: [T], _ start: String, _ end: String, to bytes: inout [UInt8],
        _ each: (T, inout [UInt8]) -> Void
    ) {
        bytes += start.utf8
        for (index, value) in values.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            each(value, &bytes)
        }
        bytes += end.utf8
    }
}
