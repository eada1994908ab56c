/// Where a path of a derivation leads in a model: across to-one relationships to one column's worth of attribute.
package struct DerivedSource: Hashable, Sendable {
    /// The relationships on the way; empty for an attribute of the same row.
    package let hops: [RelationshipDescription]
    /// The entity that declares the attribute.
    package let entity: String
    /// The name of the attribute, and of the elements down to the value.
    package let path: [String]
    /// The attribute or the element.
    package let attribute: AttributeDescription
    /// Whether the value is always there.
    package let isRequired: Bool

    /// - Throws: what is wrong with the path, to be put after "The derivation".
    package init(
        _ path: [String], of entity: String, in model: ManagedObjectModel
    ) throws(Derivation.Mistake) {
        var hops: [RelationshipDescription] = []
        var place = entity
        var isRequired = true
        for (position, name) in path.enumerated() {
            guard let found = model.declaration(of: name, in: place) else {
                throw .init("names \"\(name)\", which \(place) does not have; correct the name")
            }
            switch found.property.kind {
            case .relationship(let relationship):
                guard !relationship.isToMany, !relationship.isTransient else {
                    throw .init(
                        "leads across \(place).\(name), which is no stored to-one relationship; copy across to-one "
                            + "relationships, and count or sum a to-many")
                }
                hops.append(relationship)
                isRequired = isRequired && !relationship.isOptional
                place = relationship.destination
            case .attribute(let attribute):
                self.hops = hops
                self.entity = found.entity.name
                self.path = Array(path[position...])
                (self.attribute, self.isRequired) = try Self.leaf(attribute, self.path, isRequired, place)
                return
            }
        }
        throw .init("leads to a relationship; name an attribute of \(place) behind it")
    }

    private static func leaf(
        _ attribute: AttributeDescription, _ path: [String], _ isRequired: Bool, _ place: String
    ) throws(Derivation.Mistake) -> (AttributeDescription, Bool) {
        var leaf = attribute
        var isRequired = isRequired && !attribute.isOptional
        for name in path.dropFirst() {
            guard let element = leaf.type.composite?.elements.first(where: { $0.name == name }) else {
                throw .init(
                    "names \"\(name)\", which \(place).\(leaf.name) does not have; correct the name")
            }
            leaf = element
            isRequired = isRequired && !element.isOptional
        }
        guard attribute.isStored, let type = leaf.columnType, leaf.type != .transformable, type != .jsonb
        else {
            throw .init(
                "leads to \(path.joined(separator: ".")), which is not stored as one plain value; name an attribute "
                    + "that is, or an element of the composite")
        }
        guard attribute.derivationExpression == nil else {
            throw .init(
                "leads to \(attribute.name), which is derived itself; derive from what that one follows from")
        }
        return (leaf, isRequired)
    }
}

extension Derivation {
    /// Why a derivation does not fit its model.
    package struct Mistake: Error, Hashable {
        /// What comes after "The derivation".
        package let text: String

        init(_ text: String) { self.text = text }
    }
}
