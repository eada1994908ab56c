/// Turns a model into tables and mappings: pairs, table names, columns, constraints, links, names, mappings.
struct SchemaBuilder {
    let model: ManagedObjectModel
    let pairs: [PropertyKey: RelationshipPair]

    var issues: [ModelIssue] = []
    var tables: [StoreSchema.Table] = []
    var entities: [String: EntityStorage] = [:]

    /// By the name of the root entity.
    var tableNames: [String: String] = [:]
    /// By the leading side's key.
    var joins: [PropertyKey: JoinTable] = [:]
    /// By the identity of an attribute's leaf, of a relationship, or of what goes with a relationship's column.
    var columnNames: [String: String] = [:]
    /// The roots whose rows are referred to together with their entity.
    var rootsReferredToWithEntity: Set<String> = []
    /// Tables, indexes, constraints and sequences share one namespace here; PostgreSQL would allow a little more.
    var takenNames: Set<String> = [
        StoreSchema.idSequence, StoreSchema.metadataTable, StoreSchema.saveTable, StoreSchema.entryTable,
    ]

    init(model: ManagedObjectModel) {
        self.model = model
        self.pairs = model.relationshipPairs
    }

    mutating func build() {
        checkMappingKeys()
        nameTables()
        for root in model.roots { addTable(of: root) }
        for pair in leadingPairs { addJoinTable(of: pair) }
        addReferenceTargets()
        addDeleteTriggers()
        addVersionTriggers()
        nameConstraints()
        tables.sort { $0.name < $1.name }
        guard issues.isEmpty else { return }
        for entity in model.entities { entities[entity.name] = mapping(of: entity) }
    }

    var leadingPairs: [RelationshipPair] {
        pairs.values.filter { $0.storage == .joinTable && $0.leads }.sorted { $0.key < $1.key }
    }

    func isRoot(_ entity: String) -> Bool { model[entity]?.superentity == nil }

    func rootName(of entity: String) -> String { model.root(of: entity)?.name ?? entity }

    func tableName(of entity: String) -> String { tableNames[rootName(of: entity)] ?? "" }

    /// The key of an entity's table, as given on its root.
    func keyColumn(of entity: String) -> String {
        model.root(of: entity)?.userInfo[MappingKey.key] ?? StoreSchema.idColumn
    }

    /// The version of an entity's table, as given on its root; nil where it has none.
    func versionColumn(of entity: String) -> String? {
        let given = model.root(of: entity)?.userInfo[MappingKey.version]
        return given == MappingKey.noVersion ? nil : given ?? StoreSchema.versionColumn
    }

    func columnName(_ identity: String) -> String { columnNames[identity] ?? "" }

    mutating func report(_ code: ModelIssue.Code, _ entity: String?, _ property: String?, _ text: String) {
        issues.append(ModelIssue(code, entity, property, text))
    }
}

extension ManagedObjectModel {
    var relationshipPairs: [PropertyKey: RelationshipPair] {
        var result: [PropertyKey: RelationshipPair] = [:]
        for entity in entities {
            for relationship in entity.properties.compactMap(\.relationship) where !relationship.isTransient {
                let key = PropertyKey(entity: entity.name, name: relationship.name)
                let found = relationship.inverse.flatMap { declaration(of: $0, in: relationship.destination) }
                    .flatMap { $0.property.relationship?.isTransient == true ? nil : $0 }
                result[key] = RelationshipPair(
                    key: key, relationship: relationship,
                    inverseKey: found.map { PropertyKey(entity: $0.entity.name, name: $0.property.name) },
                    inverse: found?.property.relationship)
            }
        }
        return result
    }
}
