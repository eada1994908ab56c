extension ManagedObjectModel {
    /// A SHA-256 in lower-case hex that changes exactly if the stored form of the model's objects changes.
    ///
    /// It includes names, stored names, superentities, types, optionality, defaults, validation rules, delete
    /// rules, uniqueness, fetch indexes, derivations, version hash modifiers and the `userInfo` of
    /// ``MappingKey``. It does not include:
    ///
    /// - class and transformer names, and the names of composite types;
    /// - configurations, fetch request templates and fetched properties;
    /// - other `userInfo`, and attributes without columns;
    /// - the order of entities and properties.
    ///
    /// Each call computes it. Core Data has another checksum for the same model.
    public var versionChecksum: String {
        SHA256.hexadecimal(of: physicalForm.canonicalJSON.utf8)
    }

    /// Returns a Boolean value that indicates whether a checksum belongs to this model.
    ///
    /// It is the ``versionChecksum``, or the one from before `isOptional` of a to-many relationship with a
    /// minimum count was a part of it. Stores and stages from that time keep the earlier checksum. Their
    /// tables are the same.
    package func hasChecksum(_ checksum: String) -> Bool {
        checksum == versionChecksum || checksum == earlierChecksum
    }

    /// The checksum without `isOptional` of to-many relationships with a minimum count; nil if it is the
    /// same.
    ///
    /// See ``hasChecksum(_:)``.
    package var earlierChecksum: String? {
        var isDifferent = false
        let earlier = entities.map { entity in
            var entity = entity
            entity.properties = entity.properties.map { property in
                guard let relationship = property.relationship else { return property }
                let earlier = relationship.withoutOptionalMinimum
                isDifferent = isDifferent || earlier != relationship
                return .relationship(earlier)
            }
            return entity
        }
        return isDifferent ? ManagedObjectModel(unchecked: earlier).versionChecksum : nil
    }

    /// A SHA-256 in lower-case hex for each entity's own declaration, by the entity's name.
    ///
    /// It covers the same facts as ``versionChecksum``, for one entity. Inherited properties are a part of
    /// the superentity's hash.
    ///
    /// Source: Core Data's `entityVersionHashesByName`.
    public var entityVersionHashes: [String: String] {
        Dictionary(
            physicalForm.entities.map { entity in
                let text = ManagedObjectModel(unchecked: [entity]).canonicalJSON
                return (entity.name, SHA256.hexadecimal(of: text.utf8))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The model with only the facts that tables, columns and constraints depend on, in a canonical order.
    var physicalForm: ManagedObjectModel {
        ManagedObjectModel(unchecked: entities.map(\.physicalForm).sorted { $0.name < $1.name })
    }
}

extension EntityDescription {
    fileprivate var physicalForm: EntityDescription {
        EntityDescription(
            name, abstract: isAbstract, superentity: superentity,
            properties: properties.compactMap(\.physicalForm).sorted { $0.name < $1.name },
            uniquenessConstraints: uniquenessConstraints.sorted { $0.lexicographicallyPrecedes($1) },
            fetchIndexes: fetchIndexes.sorted { $0.name < $1.name },
            // An identifier that repeats the name says nothing; every other one is what rows carry.
            renamingIdentifier: storedName == name ? nil : storedName,
            versionHashModifier: versionHashModifier, userInfo: userInfo.steeringMapping)
    }
}

extension PropertyDescription {
    fileprivate var physicalForm: PropertyDescription? {
        switch kind {
        case .attribute(let attribute): attribute.isStored ? .attribute(attribute.physicalForm) : nil
        case .relationship(var relationship):
            {
                if relationship.isTransient { return nil }
                relationship.renamingIdentifier = nil
                // Nothing depends on it: a to-many without a minimum count may be empty in any case.
                if relationship.isToMany, relationship.minCount == 0 { relationship.isOptional = true }
                relationship.userInfo = relationship.userInfo.steeringMapping
                return .relationship(relationship)
            }()
        }
    }
}

extension AttributeDescription {
    fileprivate var physicalForm: AttributeDescription {
        var result = self
        result.renamingIdentifier = nil
        result.valueTransformerName = nil
        result.valueClassName = nil
        result.allowsExternalBinaryDataStorage = false
        result.preservesValueInHistoryOnDeletion = false
        result.userInfo = userInfo.steeringMapping
        if let composite = type.composite {
            let elements = composite.elements.filter(\.isStored).map(\.physicalForm)
            result.type = .composite(CompositeDescription("", elements.sorted { $0.name < $1.name }))
            result.defaultValue = defaultValue.map { Self.physicalForm(of: $0, composite) }
        }
        return result
    }

    /// Returns a composite value, whose elements are by position, in the canonical order of the elements.
    private static func physicalForm(of value: Value, _ composite: CompositeDescription) -> Value {
        guard case .composite(let values) = value, values.count == composite.elements.count else {
            return value
        }
        let stored = zip(composite.elements, values).filter { $0.0.isStored }
            .sorted { $0.0.name < $1.0.name }
        return .composite(
            stored.map { element, value in
                element.type.composite.map { physicalForm(of: value, $0) } ?? value
            })
    }
}

extension [String: String] {
    fileprivate var steeringMapping: [String: String] {
        var steering = filter { MappingKey.steering.contains($0.key) }
        // A flag that is spelt otherwise is the same flag, and one that is not set is none.
        for key in [MappingKey.caseInsensitive, MappingKey.deleteTrigger, MappingKey.versionTrigger] {
            if let flag = MappingKey.flag(steering[key]) { steering[key] = flag ? MappingKey.yes : nil }
        }
        return steering
    }
}
