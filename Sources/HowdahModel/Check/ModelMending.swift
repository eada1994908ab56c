/// Changes what Core Data accepts in a model and a store cannot have, to the nearest that it can, without changing data.
///
/// The author of a model in a file cannot always correct it: an app that is in use has it.
package struct ModelMending {
    /// One change.
    package struct Note: Hashable, Sendable {
        package let entity: String?
        package let property: String?
        /// What was found and what became of it.
        package let message: String
    }

    var entities: [EntityDescription]
    private(set) var configurations: [String: [String]]
    private(set) var templates: [String: FetchRequestTemplate]
    package private(set) var notes: [Note] = []

    package init(
        _ entities: [EntityDescription], configurations: [String: [String]],
        fetchRequestTemplates templates: [String: FetchRequestTemplate]
    ) {
        (self.entities, self.configurations, self.templates) = (entities, configurations, templates)
    }

    /// Returns the model with all changes.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/invalidModel``, which lists what no change can mend.
    package mutating func model(versionIdentifier: String?) throws(ModelError) -> ManagedObjectModel {
        mendRenamingIdentifiers()
        mendRequests()
        // What attributes and indexes need of it does not change while they are mended.
        var model = draft
        for position in entities.indices {
            mendAttributes(ofEntityAt: position, model)
            mendRelationships(ofEntityAt: position)
            mendUniqueness(ofEntityAt: position)
        }
        mendInverses()
        model = draft
        for position in entities.indices { mendIndexes(ofEntityAt: position, model) }
        return try ManagedObjectModel(
            entities: entities, configurations: configurations, fetchRequestTemplates: templates,
            versionIdentifier: versionIdentifier)
    }

    /// The model as it is now, for questions about names.
    var draft: ManagedObjectModel { ManagedObjectModel(unchecked: entities) }

    mutating func note(_ message: String, _ entity: String?, _ property: String? = nil) {
        notes.append(Note(entity: entity, property: property, message: message))
    }

    /// Rows carry an entity's renaming identifier, so two entities of one identifier would share their rows.
    private mutating func mendRenamingIdentifiers() {
        var taken = Set(entities.filter { $0.renamingIdentifier == nil }.map(\.name))
        for position in entities.indices {
            guard let identifier = entities[position].renamingIdentifier else { continue }
            if taken.insert(identifier).inserted { continue }
            note(
                "Another entity already has the name or renaming identifier \"\(identifier)\", so this "
                    + "renaming identifier has no effect. Change or remove the renaming identifier.",
                entities[position].name)
            entities[position].renamingIdentifier = nil
        }
    }

    private mutating func mendRequests() {
        let names = Set(entities.map(\.name))
        for (name, template) in templates.sorted(by: { $0.key < $1.key })
        where !names.contains(template.entityName) {
            note(
                "The fetch request \(name) is ignored, because it fetches the entity "
                    + "\"\(template.entityName)\", which is not in the model. Choose another entity, or "
                    + "remove the fetch request.", nil)
            templates[name] = nil
        }
        for (name, members) in configurations.sorted(by: { $0.key < $1.key }) {
            let unknown = members.filter { !names.contains($0) }
            if unknown.isEmpty { continue }
            note(
                "The configuration \(name) names \(unknown.joined(separator: ", ")). "
                    + "\(unknown.count == 1 ? "This entity is" : "These entities are") not in the model and "
                    + "\(unknown.count == 1 ? "has" : "have") no effect. Correct or remove the "
                    + "\(unknown.count == 1 ? "name" : "names").", nil)
            configurations[name] = members.filter { names.contains($0) }
        }
        for position in entities.indices {
            let entity = entities[position]
            for property in entity.fetchedProperties where !names.contains(property.fetchRequest.entityName) {
                note(
                    "The fetched property is ignored, because it fetches the entity "
                        + "\"\(property.fetchRequest.entityName)\", which is not in the model. Choose "
                        + "another entity, or remove the fetched property.", entity.name,
                    property.name)
            }
            entities[position].fetchedProperties.removeAll { !names.contains($0.fetchRequest.entityName) }
        }
    }

    private mutating func mendUniqueness(ofEntityAt position: Int) {
        let entity = entities[position]
        entities[position].uniquenessConstraints = entity.uniquenessConstraints.map { constraint in
            var seen: Set<String> = []
            return constraint.filter { seen.insert($0).inserted }
        }
        if entities[position].uniquenessConstraints != entity.uniquenessConstraints {
            note(
                "A uniqueness constraint names a property twice. The repetition has no effect. Remove the "
                    + "repetition.", entity.name)
        }
    }
}
