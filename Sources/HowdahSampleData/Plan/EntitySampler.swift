import HowdahModel

/// The attributes of one entity that get values.
struct EntitySampler: Sendable {
    let name: String
    let attributes: [AttributeSampler]

    init(_ entity: EntityDescription, of model: ManagedObjectModel) {
        name = entity.name
        let indexed = Self.indexedNames(of: entity, in: model)
        attributes = model.properties(of: entity.name).compactMap(\.attribute)
            .filter { $0.isStored && $0.derivationExpression == nil }
            .map {
                AttributeSampler($0, path: [entity.name, $0.name], isIndexed: indexed.contains($0.name))
            }
    }

    func sampler(of attribute: String) -> AttributeSampler? {
        attributes.first { $0.attribute.name == attribute }
    }

    /// An index of a subentity lies over the same table and may cover inherited columns.
    private static func indexedNames(of entity: EntityDescription, in model: ManagedObjectModel) -> Set<
        String
    > {
        var names: Set<String> = []
        for relative in model.lineage(of: entity.name) + model.descendants(of: entity.name) {
            names.formUnion(relative.uniquenessConstraints.joined())
            for path in relative.allFetchIndexes.flatMap(\.elements).compactMap(\.keyPath) {
                names.insert(String(path.prefix { $0 != "." }))
            }
        }
        return names
    }
}
