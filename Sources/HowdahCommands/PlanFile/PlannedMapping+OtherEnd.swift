import HowdahModel
import HowdahSchema

/// What of a relationship that is not named goes on beside what is said of its other end.
extension PlannedMapping {
    /// How much of it is carried.
    enum Share {
        case all
        /// What the entity mapping of this name made.
        case madeBy(String)
        case nothing
        case unclear
    }

    /// The places of the entity mappings that make objects for a relationship of those of an old entity.
    func makers(of destination: String, from entity: String) -> [Int] {
        let sources = Set(pairing.old.descendants(of: entity).map(\.name))
        let taken = Set(pairing.new.descendants(of: destination).map(\.name))
        return mappingModel.entityMappings.indices.filter { place in
            let mapping = mappingModel.entityMappings[place]
            return sources.contains(mapping.sourceEntityName ?? "")
                && taken.contains(mapping.destinationEntityName ?? "")
        }
    }

    /// Of two ends of a relationship, the one that nothing is said of does not undo what is said of the other.
    func share(
        of property: PropertyDescription, continuing name: String, of from: String, beside to: String
    ) -> Share {
        guard let relationship = property.relationship, let inverse = relationship.inverse,
            let before = pairing.old.property(named: name, of: from)?.relationship
        else { return .all }
        let makers = self.makers(of: relationship.destination, from: before.destination)
        let named = makers.filter { isNamed(inverse, at: $0) }
        if named.isEmpty { return .all }
        let rest = makers.filter { !named.contains($0) }
        let isSelfInverse = isSelfInverse(property, to)
        let owner = pairing.new.declaration(of: property.name, in: to)?.entity.name ?? to
        let first = pairing.old.declaration(of: name, in: from)?.entity.name ?? from
        let isNamedHere = self.makers(of: owner, from: first).contains { isNamed(property.name, at: $0) }
        if named.allSatisfy({ says(inverse, whatWas: before.inverse, at: $0) }) {
            // Both ends say the same, and this one knows its order.
            let isNeeded =
                before.isOrdered && relationship.isOrdered || !rest.isEmpty && (isSelfInverse || isNamedHere)
            return isNeeded ? .all : .nothing
        }
        // What is left goes on from the other end, unless that in turn leaves it to this one.
        guard !rest.isEmpty, isSelfInverse || isNamedHere else { return .nothing }
        let isApart = !isSelfInverse || relationship.isToMany && !relationship.isOrdered
        guard rest.count == 1, isApart else { return .unclear }
        return .madeBy(mappingModel.entityMappings[rest[0]].name)
    }

    private func isSelfInverse(_ property: PropertyDescription, _ entity: String) -> Bool {
        guard let relationship = property.relationship, relationship.inverse == property.name else {
            return false
        }
        return pairing.new.lineage(of: entity).contains { $0.name == relationship.destination }
    }

    private func isNamed(_ property: String, at place: Int) -> Bool {
        guard let origin = origins[place] else { return false }
        return (origin.properties + origin.left).contains { $0.name == property }
    }

    /// Whether a relationship is set to what the old one of a name led to.
    private func says(_ property: String, whatWas name: String?, at place: Int) -> Bool {
        guard let name, let said = origins[place]?.properties.first(where: { $0.name == property }),
            let expression = try? MappingExpression(format: said.expression)
        else { return false }
        return expression.root == .path(.variable(Self.source), [name])
    }
}
