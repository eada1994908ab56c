package import HowdahModel

extension ManagedObjectModel {
    /// Returns the same model with optional attributes and to-one relationships, for a store whose values are
    /// incomplete.
    ///
    /// You can then read and write nil for required properties. It is stored as this model is. Of two to-one
    /// relationships that are inverses, the required one has the column. The new model names that column if
    /// nothing else determines it.
    ///
    /// - Parameter ofLists: Indicates whether to-many relationships may also have fewer members than their
    ///   minimum.
    /// - Throws: `ModelError`.
    package func withoutRequirements(ofLists: Bool = false) throws(ModelError) -> ManagedObjectModel {
        let schema = try StoreSchema(self)
        return try ManagedObjectModel(
            entities: entities.map { entity in
                var entity = entity
                entity.properties = entity.properties.map { property in
                    var property = property.withoutRequirement(ofLists: ofLists)
                    if case .relationship(var relationship) = property.kind, isOneToOne(relationship),
                        case .toOne(let mapping) = schema.entities[entity.name]?
                            .property(named: relationship.name)?.mapping
                    {
                        relationship.userInfo[MappingKey.column] = mapping.column
                        property = .relationship(relationship)
                    }
                    return property
                }
                return entity
            }, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
            versionIdentifier: versionIdentifier)
    }

    private func isOneToOne(_ relationship: RelationshipDescription) -> Bool {
        guard !relationship.isToMany, let name = relationship.inverse else { return false }
        return property(named: name, of: relationship.destination)?.relationship?.isToMany == false
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
