extension ManagedObjectModel {
    /// Creates a model with all entities, configurations and fetch requests of several models.
    ///
    /// If several models have the same entity or fetch request, the new model has it once. A configuration
    /// that several models have gets the entities of each. Different version identifiers are joined by
    /// commas.
    ///
    /// Relationships between the models need both of their ends: declare the entity that they share in both
    /// models.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/invalidModel`` if two models have different entities
    ///   or fetch requests of one name, or if the merged model has other issues.
    ///
    /// Source: Core Data's `init(byMerging:)`.
    public init(byMerging models: [ManagedObjectModel]) throws(ModelError) {
        var entities: [EntityDescription] = []
        var known: [String: EntityDescription] = [:]
        var configurations: [String: [String]] = [:]
        var templates: [String: FetchRequestTemplate] = [:]
        var identifiers: [String] = []
        var issues: [ModelIssue] = []
        for model in models {
            for entity in model.entities {
                guard let other = known.updateValue(known[entity.name] ?? entity, forKey: entity.name) else {
                    entities.append(entity)
                    continue
                }
                if other != entity { issues.append(.different("entities", entity.name, entity: entity.name)) }
            }
            for (name, members) in model.configurations {
                let present = configurations[name] ?? []
                configurations[name] = present + members.filter { !present.contains($0) }
            }
            for (name, template) in model.fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
                let other = templates.updateValue(templates[name] ?? template, forKey: name)
                if let other, other != template {
                    issues.append(.different("fetch requests", name, entity: nil))
                }
            }
            if let identifier = model.versionIdentifier, !identifiers.contains(identifier) {
                identifiers.append(identifier)
            }
        }
        guard issues.isEmpty else { throw ModelError(.invalidModel, issues: issues) }
        try self.init(
            entities: entities, configurations: configurations, fetchRequestTemplates: templates,
            versionIdentifier: identifiers.isEmpty ? nil : identifiers.joined(separator: ", "))
    }
}

extension ModelIssue {
    fileprivate static func different(_ kind: String, _ name: String, entity: String?) -> ModelIssue {
        ModelIssue(
            .duplicateName, entity, nil,
            "\(name): Two of the merged models have different \(kind) of this name. Rename one of the "
                + "\(kind), or make the two equal.")
    }
}
