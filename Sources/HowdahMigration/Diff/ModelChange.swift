/// One thing that differs between two versions of a model, in words.
package struct ModelChange: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What happened.
    package enum Kind: String, Sendable, Codable {
        case added, removed, renamed, moved, changed
    }

    package let kind: Kind
    /// The entity's name in the later model; in the earlier one where it was removed.
    package let entity: String
    /// The property's name, elements of composites by dotted path; nil where the entity itself is meant.
    package let property: String?
    /// What exactly: the earlier name or place, or what differs.
    package let detail: String

    init(_ kind: Kind, _ entity: String, _ property: String? = nil, _ detail: String = "") {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.detail = detail
    }

    /// Where it is.
    package var place: String { [entity, property].compactMap { $0 }.joined(separator: ".") }

    package var description: String {
        detail.isEmpty ? "\(place) \(kind.rawValue)" : "\(place) \(kind.rawValue): \(detail)"
    }
}
