package import HowdahModel

extension ManagedObjectModel {
    /// The same model with optional attributes and to-one relationships, for a store in which values are still to be filled
    /// in: what must be there may be asked for as nil, and is brought as nil.
    ///
    /// - Parameter ofLists: whether to-many relationships may have fewer members than their minimum, too.
    /// - Throws: `ModelError`.
    package func withoutRequirements(ofLists: Bool = false) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map { entity in
                var entity = entity
                entity.properties = entity.properties.map { $0.withoutRequirement(ofLists: ofLists) }
                return entity
            }, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
            versionIdentifier: versionIdentifier)
    }
}

extension PropertyDescription {
    fileprivate func withoutRequirement(ofLists: Bool) -> PropertyDescription {
        switch kind {
        case .attribute(let attribute): return .attribute(attribute.withoutRequirement)
        case .relationship(var relationship):
            guard ofLists || !relationship.isToMany else { return self }
            relationship.isOptional = true
            relationship.minCount = 0
            return .relationship(relationship)
        }
    }
}

extension AttributeDescription {
    fileprivate var withoutRequirement: AttributeDescription {
        guard derivationExpression == nil else { return self }
        var attribute = self
        attribute.isOptional = true
        if var composite = type.composite {
            composite.elements = composite.elements.map(\.withoutRequirement)
            attribute.type = .composite(composite)
        }
        return attribute
    }
}
