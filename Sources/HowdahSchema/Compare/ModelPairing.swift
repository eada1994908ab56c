package import HowdahModel

/// Which entities, properties and elements of a model continue which ones of an earlier version.
package struct ModelPairing: Sendable {
    /// The earlier model.
    package let old: ManagedObjectModel
    /// The later model.
    package let new: ManagedObjectModel
    /// The earlier name of each entity that was there before.
    private let entitySources: [String: String]
    private let entityTargets: [String: String]
    /// The earlier name of each property, own or inherited, by the entity's later name.
    private let propertySources: [String: [String: String]]

    /// Pairs the two.
    package init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.old = old
        self.new = new
        let sources = NamePairing(
            old: old.entities.map { .init(name: $0.name, identifier: $0.renamingIdentifier) },
            new: new.entities.map { .init(name: $0.name, identifier: $0.renamingIdentifier) }
        ).sources
        entitySources = sources
        entityTargets = Dictionary(sources.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        propertySources = sources.reduce(into: [:]) { result, pair in
            result[pair.key] =
                NamePairing(
                    old: old.properties(of: pair.value).map { $0.pairingMember() },
                    new: Self.members(of: pair.key, in: new)
                ).sources
        }
    }

    /// The properties of an entity, with the places of the entities that declare them.
    private static func members(of entity: String, in model: ManagedObjectModel) -> [NamePairing.Member] {
        let properties = model.properties(of: entity)
        guard properties.contains(where: { $0.renamingIdentifier != nil }) else {
            return properties.map { $0.pairingMember() }
        }
        return properties.map { property in
            let owner = model.declaration(of: property.name, in: entity)?.entity.name ?? entity
            return property.pairingMember(depth: model.lineage(of: owner).count)
        }
    }

    /// The earlier name of an entity; nil where it is new.
    package func source(ofEntity name: String) -> String? { entitySources[name] }

    /// The later name of an entity; nil where it was removed.
    package func target(ofEntity name: String) -> String? { entityTargets[name] }

    /// The property that one continues by its name, whether or not its values can.
    package func namesake(of property: String, in entity: String) -> PropertyDescription? {
        guard let source = entitySources[entity], let name = propertySources[entity]?[property] else {
            return nil
        }
        return old.property(named: name, of: source)
    }

    /// The earlier name of each property of an entity that is made of another one, whether or not it continues that one.
    package func propertySources(of name: String, madeOf source: String) -> [String: String] {
        NamePairing(
            old: old.properties(of: source).map { $0.pairingMember() },
            new: new.properties(of: name).map { $0.pairingMember() }
        ).sources
    }

    /// The property whose values one has, of the entity's source; nil where there is none.
    package func source(of property: String, in entity: String) -> PropertyDescription? {
        guard let found = namesake(of: property, in: entity),
            let now = new.property(named: property, of: entity), case .carried = continuity(found, now)
        else { return nil }
        return found
    }

    /// Whether values of a property go on in the one that is paired with it.
    package enum Continuity: Hashable {
        /// They do.
        case carried
        /// There are none: one of the two is not stored, or what it led to is gone.
        case empty
        /// They cannot; what differs.
        case impossible(String)
    }

    package func continuity(_ old: PropertyDescription, _ new: PropertyDescription) -> Continuity {
        switch (old.kind, new.kind) {
        case (.attribute(let old), .attribute(let new)):
            guard old.isStored, new.isStored else { return .empty }
            if old.type.composite != nil, new.type.composite != nil { return .carried }
            if old.type.composite == nil, new.type.composite == nil,
                AttributeConversion.between(old, new) != nil
            {
                return .carried
            }
            if old.type == new.type {
                return .impossible("the attribute is stored as JSON in only one of the two models")
            }
            return .impossible("\(new.type.name) cannot hold every value of \(old.type.name)")
        case (.relationship(let old), .relationship(let new)):
            guard !old.isTransient, !new.isTransient else { return .empty }
            let before = self.old.descendants(of: old.destination)
            let now = Set(self.new.descendants(of: new.destination).map(\.name))
            if before.contains(where: { entityTargets[$0.name].map(now.contains) ?? false }) {
                return .carried
            }
            // An abstract entity has no objects that anything could lead to.
            if before.allSatisfy({ $0.isAbstract || entityTargets[$0.name] == nil }) { return .empty }
            return .impossible(
                "the relationship now refers to \(new.destination), but objects of \(old.destination) do not become objects of \(new.destination)"
            )
        case (.attribute(let old), .relationship(let new)):
            return old.isStored && !new.isTransient
                ? .impossible("an attribute became a relationship") : .empty
        case (.relationship(let old), .attribute(let new)):
            return new.isStored && !old.isTransient
                ? .impossible("a relationship became an attribute") : .empty
        }
    }

    /// Where the value of an attribute, or of an element of a composite, was before, and what takes it over.
    package func leafSource(of path: [String], in entity: String) -> (
        path: [String], conversion: AttributeConversion
    )? {
        guard let name = path.first, var before = source(of: name, in: entity)?.attribute,
            var now = new.property(named: name, of: entity)?.attribute
        else { return nil }
        var result = [before.name]
        for name in path.dropFirst() {
            guard let found = Self.element(name, now, before) else { return nil }
            (now, before) = found
            result.append(before.name)
        }
        guard now.type.composite == nil, before.type.composite == nil, now.isStored, before.isStored,
            let conversion = AttributeConversion.between(before, now)
        else { return nil }
        return (result, conversion)
    }

    /// An element of a composite and the one that it continues.
    package static func element(
        _ name: String, _ now: AttributeDescription, _ before: AttributeDescription
    ) -> (now: AttributeDescription, before: AttributeDescription)? {
        guard let elements = now.type.composite?.elements, let earlier = before.type.composite?.elements,
            let source = elementSources(now, before)[name],
            let element = elements.first(where: { $0.name == name }),
            let origin = earlier.first(where: { $0.name == source })
        else { return nil }
        return (element, origin)
    }

    /// The earlier names of a composite's elements.
    package static func elementSources(
        _ now: AttributeDescription, _ before: AttributeDescription
    ) -> [String: String] {
        let members = { (attribute: AttributeDescription) in
            (attribute.type.composite?.elements ?? []).map {
                NamePairing.Member(name: $0.name, identifier: $0.renamingIdentifier)
            }
        }
        return NamePairing(old: members(before), new: members(now)).sources
    }
}

extension PropertyDescription {
    fileprivate func pairingMember(depth: Int = 0) -> NamePairing.Member {
        NamePairing.Member(name: name, identifier: renamingIdentifier, depth: depth)
    }
}
