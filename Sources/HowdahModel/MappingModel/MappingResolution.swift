/// Fills in what a mapping model leaves to the two models.
struct MappingResolution {
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private(set) var mappingModel: MappingModel
    private let sourceHashes: [String: String]
    private let destinationHashes: [String: String]

    init(of mappingModel: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        self.source = source
        self.destination = destination
        self.mappingModel = mappingModel
        sourceHashes = source.entityVersionHashes
        destinationHashes = destination.entityVersionHashes
        for place in mappingModel.entityMappings.indices { resolve(place) }
    }

    var withVersionHashes: MappingModel {
        var result = mappingModel
        for place in result.entityMappings.indices {
            let mapping = result.entityMappings[place]
            result.entityMappings[place].sourceEntityVersionHash = mapping.sourceEntityName.flatMap {
                sourceHashes[$0]
            }
            result.entityMappings[place].destinationEntityVersionHash = mapping.destinationEntityName
                .flatMap { destinationHashes[$0] }
        }
        return result
    }

    private mutating func resolve(_ place: Int) {
        var mapping = mappingModel.entityMappings[place]
        let isPlain =
            mapping.sourceFilter == nil
            && (mapping.attributeMappings + mapping.relationshipMappings).allSatisfy {
                $0.generatesValueExpression && $0.valueExpression == nil
            }
        if let entity = mapping.sourceEntityName {
            for property in mapping.attributeMappings.indices {
                generate(&mapping.attributeMappings[property]) { name in
                    source.property(named: name, of: entity)?.attribute.map { _ in .source(escaping: name) }
                }
            }
            for property in mapping.relationshipMappings.indices {
                generate(&mapping.relationshipMappings[property]) { objects(of: $0, entity) }
            }
        }
        if mapping.mappingType == .undefined {
            let implied = mapping.impliedType
            mapping.mappingType = implied == .transform && isPlain && isSame(mapping) ? .copy : implied
        }
        mappingModel.entityMappings[place] = mapping
    }

    private func generate(_ property: inout PropertyMapping, _ expression: (String) -> MappingExpression?) {
        guard property.generatesValueExpression, property.valueExpression == nil else { return }
        property.valueExpression = expression(property.name)
        property.generatesValueExpression = false
    }

    /// The destination objects of a relationship of the source.
    private func objects(of name: String, _ entity: String) -> MappingExpression? {
        guard let relationship = source.property(named: name, of: entity)?.relationship else { return nil }
        let instances = MappingExpression.source(escaping: name)
        let takers = mappingModel.entityMappings.filter { $0.sourceEntityName == relationship.destination }
        // Of a hierarchy, and of several mappings, the objects themselves say which one took them.
        guard takers.count == 1, source.subentities(of: relationship.destination).isEmpty else {
            return .destinationInstances(forSourceRelationshipNamed: name, sourceInstances: instances)
        }
        return .destinationInstances(forEntityMappingNamed: takers[0].name, sourceInstances: instances)
    }

    /// Whether the entity has not changed, nor what it inherits, and all its properties are mapped.
    private func isSame(_ mapping: EntityMapping) -> Bool {
        guard let name = mapping.sourceEntityName, name == mapping.destinationEntityName else { return false }
        let lineage = source.lineage(of: name).map(\.name)
        guard lineage == destination.lineage(of: name).map(\.name), !lineage.isEmpty,
            lineage.allSatisfy({ sourceHashes[$0] == destinationHashes[$0] })
        else { return false }
        let mapped = Set((mapping.attributeMappings + mapping.relationshipMappings).map(\.name))
        return destination.properties(of: name).allSatisfy { mapped.contains($0.name) || !$0.isStored }
    }
}

extension PropertyDescription {
    fileprivate var isStored: Bool { attribute?.isStored ?? !(relationship?.isTransient ?? true) }
}

extension MappingExpression {
    /// One key of the source, whatever characters are in it.
    fileprivate static func source(escaping key: String) -> MappingExpression {
        MappingExpression(unchecked: .joined(.variable(Variable.source.rawValue), [key]))
    }
}
