import Foundation
import HowdahModel

/// The names that a filter of an entity can begin with, for completion; no statement.
struct CompletionNames: Encodable {
    let names: [Name]

    /// A property, or an element of a composite.
    struct Name: Encodable {
        let name: String
        let type: String
        /// The name as a filter has it, if that is another text.
        private let typed: String?
        /// The destination of a relationship.
        var entity: String?
        /// True for a to-many relationship.
        var many: Bool?
        /// The texts that the attribute may have.
        var values: [String]?
        /// The elements of a composite.
        var parts: [Name]?

        init(
            _ name: String, type: String, entity: String? = nil, many: Bool? = nil, values: [String]? = nil,
            parts: [Name]? = nil
        ) {
            (self.name, self.type, self.entity, self.many) = (name, type, entity, many)
            (self.values, self.parts) = (values, parts)
            let text = PredicateTree.filterPath(name)
            typed = text == name ? nil : text
        }
    }

    init(of entity: String, _ guide: ModelGuide) throws {
        _ = try guide.entity(entity)
        names =
            guide.attributes(of: entity).map(Self.name)
            + guide.relationships(of: entity).map { relationship in
                Name(
                    relationship.name, type: relationship.destination, entity: relationship.destination,
                    many: relationship.isToMany ? true : nil)
            }
    }

    private static func name(_ attribute: AttributeDescription) -> Name {
        guard let composite = attribute.type.composite else {
            let values = attribute.allowedValues.compactMap { value in
                if case .string(let text) = value { text } else { nil }
            }
            return Name(
                attribute.name, type: attribute.type.name, values: values.isEmpty ? nil : values)
        }
        return Name(attribute.name, type: composite.name, parts: composite.elements.map(Self.name))
    }

    func response() throws -> BrowseResponse {
        BrowseResponse(
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self), type: "application/json")
    }
}
