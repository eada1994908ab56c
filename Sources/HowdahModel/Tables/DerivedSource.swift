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

    /// - Throws: A sentence about the mistake in the path, and what to do.
    package init(
        _ path: [String], of entity: String, in model: ManagedObjectModel
    ) throws(Derivation.Mistake) {
        var hops: [RelationshipDescription] = []
        var place = entity
        var isRequired = true
        for (position, name) in path.enumerated() {
            guard let found = model.declaration(of: name, in: place) else {
                throw .init(
                    "The derivation names \"\(name)\", which is not a property of \(place). Correct "
                        + "the name.")
            }
            switch found.property.kind {
            case .relationship(let relationship):
                guard !relationship.isToMany, !relationship.isTransient else {
                    throw .init(
                        "The derivation crosses \(place).\(name), which is not a stored to-one relationship. "
                            + "Copy across to-one relationships, and count or sum a to-many relationship.")
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
        throw .init("The derivation ends at a relationship. Add an attribute of \(place) to the key path.")
    }

    private static func leaf(
        _ attribute: AttributeDescription, _ path: [String], _ isRequired: Bool, _ place: String
    ) throws(Derivation.Mistake) -> (AttributeDescription, Bool) {
        var leaf = attribute
        var isRequired = isRequired && !attribute.isOptional
        for name in path.dropFirst() {
            guard let element = leaf.type.composite?.elements.first(where: { $0.name == name }) else {
                throw .init(
                    "The derivation names \"\(name)\", which is not an element of \(place).\(leaf.name). "
                        + "Correct the name.")
            }
            leaf = element
            isRequired = isRequired && !element.isOptional
        }
        guard attribute.isStored, let type = leaf.columnType, leaf.type != .transformable, type != .jsonb
        else {
            throw .init(
                "The derivation refers to \(path.joined(separator: ".")), which is not stored as one plain "
                    + "value. Use an attribute with one stored value, or an element of the composite.")
        }
        guard attribute.derivationExpression == nil else {
            throw .init(
                "The derivation refers to \(attribute.name), which is a derived attribute itself. Use the "
                    + "source of that attribute.")
        }
        return (leaf, isRequired)
    }
}

extension Derivation {
    /// Why a derivation does not fit its model.
    package struct Mistake: Error, Hashable {
        /// What is wrong and what to do, as sentences.
        package let text: String

        init(_ text: String) { self.text = text }
    }
}
