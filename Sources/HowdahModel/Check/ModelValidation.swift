/// Finds everything that is wrong with a model, in the order of its declarations.
struct ModelValidation {
    let model: ManagedObjectModel
    private(set) var issues: [ModelIssue] = []

    /// How much of a cycle a message spells out.
    private static let shownSuperentities = 8

    init(model: ManagedObjectModel) { self.model = model }

    mutating func run() {
        checkEntityNames()
        for entity in model.entities {
            checkSuperentity(of: entity)
            checkPropertyNames(of: entity)
            for property in entity.properties {
                switch property.kind {
                case .attribute(let attribute):
                    check(attribute, path: attribute.name, in: entity)
                    checkDerivation(of: attribute, in: entity)
                case .relationship(let relationship):
                    check(relationship, in: entity)
                }
            }
            checkUniqueness(of: entity)
            checkFetchIndexes(of: entity)
            checkFetchedProperties(of: entity)
        }
        checkRequests()
        for root in model.roots { checkColumnCount(of: root) }
    }

    mutating func report(_ code: ModelIssue.Code, _ entity: String?, _ property: String?, _ text: String) {
        issues.append(ModelIssue(code, entity, property, text))
    }

    private mutating func checkEntityNames() {
        var names: Set<String> = []
        var storedNames: [String: String] = [:]
        for entity in model.entities {
            checkName(entity.name, of: "entity", entity.name, nil)
            if let identifier = entity.renamingIdentifier {
                checkName(identifier, of: "renaming identifier", entity.name, nil)
            }
            guard names.insert(entity.name).inserted else {
                report(
                    .duplicateName, entity.name, nil,
                    "The model has two entities of this name. Rename one of the entities.")
                continue
            }
            if let other = storedNames.updateValue(entity.name, forKey: entity.storedName) {
                report(
                    .duplicateName, entity.name, nil,
                    "This entity and \(other) have the same stored name \"\(entity.storedName)\", with which rows "
                        + "name their entity. Give one of the two another renaming identifier.")
            }
        }
    }

    private mutating func checkSuperentity(of entity: EntityDescription) {
        guard let superentity = entity.superentity else { return }
        guard model[superentity] != nil else {
            report(
                .unknownEntity, entity.name, nil,
                "The superentity \"\(superentity)\" is not in the model. Add the entity, or correct the name."
            )
            return
        }
        // An entity that only leads into a cycle is not part of it; the ones on the cycle are reported.
        guard model.index.positions[entity.name].map(model.index.cyclic.contains) == true else { return }
        let names = model.lineage(of: entity.name).map(\.name)
        let way = names.prefix(Self.shownSuperentities) + (names.count > Self.shownSuperentities ? ["…"] : [])
        report(
            .superentityCycle, entity.name, nil,
            "The entity is its own superentity through \(way.joined(separator: ", ")). Remove one of these "
                + "superentities.")
    }

    private mutating func checkPropertyNames(of entity: EntityDescription) {
        var seen: Set<String> = []
        for property in entity.properties {
            checkName(property.name, of: "property", entity.name, property.name)
            checkKeyPathName(property.name, entity.name, property.name)
            let isFirst = seen.insert(property.name).inserted
            let owner = isFirst ? inheritedOwner(of: property.name, in: entity) : entity.name
            if let owner {
                let place = owner == entity.name ? "The entity" : "Its superentity \(owner)"
                report(
                    .duplicateName, entity.name, property.name,
                    "\(place) already has a property of this name. Rename one of the properties.")
            }
        }
    }

    private func inheritedOwner(of property: String, in entity: EntityDescription) -> String? {
        // On a cycle everything is inherited from everything.
        guard model.index.cyclic.isEmpty, let superentity = entity.superentity else { return nil }
        return model.declaration(of: property, in: superentity)?.entity.name
    }

    private mutating func checkColumnCount(of root: EntityDescription) {
        let count = model.descendants(of: root.name).reduce(0) { sum, entity in
            entity.properties.reduce(sum) { $0 + $1.columnCount }
        }
        if count > StoreSchema.Table.maximumColumns {
            report(
                .tooManyColumns, root.name, nil,
                "The table of this entity and its subentities would have \(count) columns. The maximum is "
                    + "\(StoreSchema.Table.maximumColumns). Move properties to a separate entity.")
        }
    }
}

extension ModelValidation {
    mutating func checkName(_ name: String, of kind: String, _ entity: String, _ property: String?) {
        if name.isEmpty {
            report(.invalidName, entity, property, "The name of the \(kind) is empty. Set a name.")
        } else if name.unicodeScalars.contains(where: \.isInvisibleControl) {
            report(
                .invalidName, entity, property,
                "The name of the \(kind) contains control characters. Remove these characters.")
        }
    }

    mutating func checkKeyPathName(_ name: String, _ entity: String, _ property: String) {
        // SELF is a keyword of predicates in any spelling, and objectID a key.
        if name == "objectID" || name.lowercased() == "self" {
            report(
                .invalidName, entity, property,
                "The name has another meaning in predicates and key paths. Choose another name.")
        } else if name.contains(".") || name.hasPrefix("@") || name.hasPrefix("$") {
            report(
                .invalidName, entity, property,
                "A name that contains a dot, or begins with @ or $, cannot be part of a key path. Choose "
                    + "another name."
            )
        }
    }
}

extension PropertyDescription {
    fileprivate var columnCount: Int {
        switch kind {
        case .attribute(let attribute): attribute.columnCount
        case .relationship(let relationship): relationship.isToMany ? 0 : 1
        }
    }
}

extension AttributeDescription {
    fileprivate var columnCount: Int {
        guard isStored else { return 0 }
        guard let composite = type.composite else { return 1 }
        return composite.elements.reduce(0) { $0 + $1.columnCount }
    }
}
