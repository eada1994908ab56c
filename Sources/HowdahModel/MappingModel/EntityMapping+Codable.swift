extension EntityMapping: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, mappingType, sourceEntityName, sourceEntityVersionHash, destinationEntityName
        case destinationEntityVersionHash, sourceFilter, attributeMappings, relationshipMappings
        case entityMigrationPolicyClassName, userInfo
    }

    /// Reads a mapping; what is left out is as in the initializer.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decodeIfPresent(String.self, forKey: .name),
            from: try container.decodeIfPresent(String.self, forKey: .sourceEntityName),
            to: try container.decodeIfPresent(String.self, forKey: .destinationEntityName),
            mappingType: try container.decodeIfPresent(MappingType.self, forKey: .mappingType),
            sourceFilter: try container.decodeIfPresent(PredicateTree.self, forKey: .sourceFilter),
            attributeMappings: try container.decodeIfPresent(
                [PropertyMapping].self, forKey: .attributeMappings) ?? [],
            relationshipMappings: try container.decodeIfPresent(
                [PropertyMapping].self, forKey: .relationshipMappings) ?? [],
            entityMigrationPolicyClassName: try container.decodeIfPresent(
                String.self, forKey: .entityMigrationPolicyClassName),
            sourceEntityVersionHash: try container.decodeIfPresent(
                String.self, forKey: .sourceEntityVersionHash),
            destinationEntityVersionHash: try container.decodeIfPresent(
                String.self, forKey: .destinationEntityVersionHash),
            userInfo: try container.decodeIfPresent([String: String].self, forKey: .userInfo) ?? [:])
    }

    /// Writes the mapping without what is empty.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(mappingType, forKey: .mappingType)
        try container.encodeIfPresent(sourceEntityName, forKey: .sourceEntityName)
        try container.encodeIfPresent(sourceEntityVersionHash, forKey: .sourceEntityVersionHash)
        try container.encodeIfPresent(destinationEntityName, forKey: .destinationEntityName)
        try container.encodeIfPresent(destinationEntityVersionHash, forKey: .destinationEntityVersionHash)
        try container.encodeIfPresent(sourceFilter, forKey: .sourceFilter)
        if !attributeMappings.isEmpty { try container.encode(attributeMappings, forKey: .attributeMappings) }
        if !relationshipMappings.isEmpty {
            try container.encode(relationshipMappings, forKey: .relationshipMappings)
        }
        try container.encodeIfPresent(entityMigrationPolicyClassName, forKey: .entityMigrationPolicyClassName)
        if !userInfo.isEmpty { try container.encode(userInfo, forKey: .userInfo) }
    }
}
