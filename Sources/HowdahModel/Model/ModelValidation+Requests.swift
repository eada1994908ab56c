extension ModelValidation {
    mutating func checkFetchIndexes(of entity: EntityDescription) {
        var names: Set<String> = []
        for index in entity.fetchIndexes {
            if !names.insert(index.name).inserted {
                report(
                    .duplicateName, entity.name, nil,
                    "There are two fetch indexes \"\(index.name)\"; rename one.")
            }
            if index.elements.isEmpty {
                report(
                    .invalidIndex, entity.name, nil,
                    "The fetch index \(index.name) has no elements; add a property or remove it.")
            }
            for case .property(let keyPath) in index.elements.map(\.subject) {
                checkIndexed(keyPath, by: index, of: entity)
            }
        }
    }

    private mutating func checkIndexed(
        _ keyPath: String, by index: FetchIndexDescription, of entity: EntityDescription
    ) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let property = names.first.flatMap({ model.property(named: $0, of: entity.name) }) else {
            report(
                .unknownProperty, entity.name, keyPath,
                "The fetch index \(index.name) names a property that the entity does not have; add it or correct "
                    + "the name.")
            return
        }
        switch property.kind {
        case .relationship(let relationship):
            if names.count > 1 || relationship.isToMany || relationship.isTransient {
                report(
                    .invalidIndex, entity.name, keyPath,
                    "The fetch index \(index.name) leads beyond the entity's own table; index an attribute or a "
                        + "to-one relationship.")
            }
        case .attribute(var attribute):
            for name in names.dropFirst() {
                guard let element = attribute.type.composite?.elements.first(where: { $0.name == name })
                else {
                    report(
                        .unknownProperty, entity.name, keyPath,
                        "The fetch index \(index.name) names an element that the composite does not have; correct "
                            + "the path.")
                    return
                }
                attribute = element
            }
            let isScanned = index.method == .gin || index.method == .hash
            if attribute.isStored, !isScanned, attribute.type.element != nil || attribute.isStoredAsJSON {
                report(
                    .invalidIndex, entity.name, keyPath,
                    "The fetch index \(index.name) has no order for the attribute's values; use the method gin."
                )
            }
            if !attribute.isStored {
                report(
                    .invalidIndex, entity.name, keyPath,
                    "The fetch index \(index.name) names an attribute that is not stored; remove it.")
            }
        }
    }

    mutating func checkFetchedProperties(of entity: EntityDescription) {
        var names = Set(
            model.lineage(of: entity.name).dropFirst().flatMap(\.fetchedProperties).map(\.name))
        for property in entity.properties where names.contains(property.name) {
            report(
                .duplicateName, entity.name, property.name,
                "There is a fetched property of this name in a superentity already; rename one.")
        }
        for property in entity.fetchedProperties {
            if !names.insert(property.name).inserted {
                report(
                    .duplicateName, entity.name, property.name,
                    "There is a fetched property of this name in the entity or its superentities already; rename one."
                )
            }
            checkName(property.name, of: "property", entity.name, property.name)
            checkKeyPathName(property.name, entity.name, property.name)
            if model.property(named: property.name, of: entity.name) != nil {
                report(
                    .duplicateName, entity.name, property.name,
                    "There is a property of this name in the entity already; rename one.")
            }
            checkEntity(of: property.fetchRequest, "fetched property", entity.name, property.name)
        }
    }

    mutating func checkRequests() {
        for (name, template) in model.fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            checkEntity(of: template, "fetch request \(name)", nil, nil)
        }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where model[member] == nil {
                report(
                    .invalidRequest, nil, nil,
                    "The configuration \(name) names the entity \"\(member)\", which is not in the model; remove it or "
                        + "correct the name.")
            }
        }
    }

    private mutating func checkEntity(
        of template: FetchRequestTemplate, _ place: String, _ entity: String?, _ property: String?
    ) {
        guard model[template.entityName] == nil else { return }
        report(
            .invalidRequest, entity, property,
            "The \(place) fetches the entity \"\(template.entityName)\", which is not in the model; correct the name."
        )
    }
}
