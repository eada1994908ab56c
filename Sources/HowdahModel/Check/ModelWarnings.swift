extension ManagedObjectModel {
    /// The valid declarations of the model that are probably mistakes, in the order of the model.
    ///
    /// Each warning names its property and a remedy. A model with warnings works, but perhaps not as its
    /// author expects. Each call computes the warnings again.
    public var warnings: [ModelIssue] {
        var warnings = ModelWarnings(model: self)
        warnings.run()
        return warnings.issues
    }
}

/// A search for valid declarations that are probably mistakes.
struct ModelWarnings {
    let model: ManagedObjectModel
    private(set) var issues: [ModelIssue] = []

    init(model: ManagedObjectModel) { self.model = model }

    mutating func run() {
        for entity in model.entities {
            checkKeys(of: entity.userInfo, entity.name, nil)
            for property in entity.properties {
                checkKeys(of: property.userInfo, entity.name, property.name)
                checkName(property.name, entity.name)
                switch property.kind {
                case .attribute(let attribute): check(attribute, path: attribute.name, in: entity)
                case .relationship(let relationship): check(relationship, in: entity)
                }
            }
            checkIdentifiers(of: entity)
            for index in entity.fetchIndexes { check(index, of: entity) }
            for property in entity.fetchedProperties {
                check(property.fetchRequest, "fetched property", entity.name, property.name)
            }
        }
        for (name, template) in model.fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            check(template, "fetch request \(name)", nil, nil)
        }
    }

    mutating func warn(
        _ code: ModelIssue.Code, _ entity: String?, _ property: String?, _ text: String
    ) {
        issues.append(ModelIssue(code, entity, property, text))
    }

    /// Checks for repeated renaming identifiers: a migration gives the old data to one owner, and the other
    /// one begins empty.
    private mutating func checkIdentifiers(of entity: EntityDescription) {
        var first: [String: String] = [:]
        for property in entity.properties {
            guard let identifier = property.renamingIdentifier else { continue }
            if let other = first[identifier] {
                warn(
                    .sharedIdentifier, entity.name, property.name,
                    "\(other) has the renaming identifier \"\(identifier)\" too. A migration moves the values "
                        + "to only one of the two. Remove the renaming identifier from \(other) or "
                        + "\(property.name).")
            } else {
                first[identifier] = property.name
            }
        }
    }

    private mutating func checkName(_ name: String, _ entity: String) {
        guard name == "entity" else { return }
        warn(
            .maskedKey, entity, name,
            "This property hides the key \"entity\" in predicates, so they cannot compare the entity of "
                + "\(entity.article) \(entity). Rename the property if your predicates need that key.")
    }

    /// Checks the keys: a mistyped key has no effect, and gives no other sign.
    private mutating func checkKeys(of userInfo: [String: String], _ entity: String, _ property: String?) {
        for key in userInfo.keys.sorted()
        where key.lowercased().hasPrefix(MappingKey.prefix) && !MappingKey.all.contains(key)
            && !MappingKey.ofPages.contains(key)
        {
            warn(
                .unknownMappingKey, entity, property,
                "Howdah has no userInfo key \"\(key)\", so it has no effect. Use one of "
                    + "\(MappingKey.all.sorted().joined(separator: ", ")).")
        }
    }

    private mutating func check(_ attribute: AttributeDescription, path: String, in entity: EntityDescription)
    {
        checkPreservation(of: attribute, path: path, in: entity)
        if attribute.isTransient { return }
        if attribute.type == .undefined {
            warn(
                .untypedAttribute, entity.name, path,
                "The attribute has no type, so it is not stored. Set a type, or make the attribute transient."
            )
        }
        if let regex = attribute.regex, (try? ValidationPattern(regex))?.sharedText == nil {
            warn(
                .patternInMemoryOnly, entity.name, path,
                "The pattern contains constructs that PostgreSQL interprets differently. Only saves check the "
                    + "pattern, not the database. Simplify the pattern, or keep it if no other program "
                    + "writes to the table.")
        }
        checkRules(of: attribute, path: path, in: entity)
        guard let composite = attribute.type.composite else { return }
        if !composite.elements.contains(where: \.isStored) {
            warn(
                .emptyComposite, entity.name, path,
                "The composite has no stored elements, so it is always nil. Add a stored element, or remove "
                    + "the attribute."
            )
        }
        for element in composite.elements {
            checkKeys(of: element.userInfo, entity.name, "\(path).\(element.name)")
            check(element, path: "\(path).\(element.name)", in: entity)
        }
    }

    private mutating func checkPreservation(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard attribute.preservesValueInHistoryOnDeletion else { return }
        if path != attribute.name {
            warn(
                .unpreservedValue, entity.name, path,
                "History keeps the value of a deleted object by attribute, so the setting has no effect on "
                    + "an element. Set it on the composite attribute, or remove it.")
        } else if !attribute.isStored {
            warn(
                .unpreservedValue, entity.name, path,
                "The attribute is not stored, so history cannot keep its value when the object is deleted. "
                    + "Store the attribute, or remove the setting.")
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, in entity: EntityDescription) {
        if relationship.isTransient { return }
        if relationship.deleteRule == .noAction {
            warn(
                .noForeignKey, entity.name, relationship.name,
                "The delete rule no action creates no foreign key, so \(relationship.destination) may refer "
                    + "to deleted objects. Set the delete rule of \(entity.name).\(relationship.name) to "
                    + "nullify, cascade or deny.")
        }
        guard let name = relationship.inverse,
            let inverse = model.property(named: name, of: relationship.destination)?.relationship
        else {
            warn(
                .missingInverse, entity.name, relationship.name,
                "The relationship has no inverse. A change of one side does not update the other side, and "
                    + "deleting \(relationship.destination.article) \(relationship.destination) has to "
                    + "search for references to it. Add an inverse to \(relationship.destination)."
            )
            return
        }
        if inverse.isTransient {
            warn(
                .missingInverse, entity.name, relationship.name,
                "The inverse \(relationship.destination).\(name) is transient, but this relationship is "
                    + "stored. Neither side updates the other. Make both relationships transient, or both "
                    + "stored.")
            return
        }
        let place = "\(relationship.destination).\(name)"
        if relationship.deleteRule == .nullify, !inverse.isToMany, !inverse.isOptional {
            warn(
                .nullifyIntoRequired, entity.name, relationship.name,
                "Deleting \(entity.name.article) \(entity.name) fails while it has "
                    + "\(relationship.destination.article) \(relationship.destination), because \(place) is "
                    + "required. Make \(place) optional, or set the delete rule of "
                    + "\(entity.name).\(relationship.name) to cascade, or to deny to keep the failure on "
                    + "purpose.")
        }
        if relationship.deleteRule == .cascade, inverse.isToMany {
            warn(
                .sharedCascade, entity.name, relationship.name,
                "Deleting \(entity.name.article) \(entity.name) also deletes each related "
                    + "\(relationship.destination), even if \(place) refers to other objects too. Set the "
                    + "delete rule of \(entity.name).\(relationship.name) to nullify, or make \(place) "
                    + "to-one.")
        }
    }

    private mutating func check(_ index: FetchIndexDescription, of entity: EntityDescription) {
        let isOfColumns = index.elements.allSatisfy { $0.keyPath != nil }
        if index.method == .gist, isOfColumns {
            warn(
                .indexMethodReplaced, entity.name, nil,
                "The fetch index \(index.name) is created as a B-tree, because PostgreSQL has no GiST "
                    + "operators for its columns. Declare the index as a B-tree, or index an expression "
                    + "such as point(x, y).")
        }
        guard let format = index.partialIndexPredicate else { return }
        do throws(IndexPredicate.Refusal) {
            _ = try IndexPredicate(format) { [model] path in
                model.indexPredicateColumn(path, of: entity.name)
            }.condition()
        } catch {
            warn(
                .indexPredicateNotLowered, entity.name, nil,
                "The predicate of the fetch index \(index.name) cannot be part of an index: \(error.text) "
                    + "Simplify the predicate, or remove it to index all objects.")
        }
    }
}

extension ManagedObjectModel {
    /// Returns the key path itself in place of a column, because the model does not have tables yet.
    func indexPredicateColumn(_ path: [String], of entity: String) -> IndexPredicate.Column? {
        guard let first = path.first, let property = property(named: first, of: entity) else { return nil }
        let name = path.joined(separator: ".")
        guard var attribute = property.attribute else {
            guard let relationship = property.relationship, path.count == 1, !relationship.isToMany else {
                return nil
            }
            return IndexPredicate.Column(name: name, type: nil, isNullable: true)
        }
        for step in path.dropFirst() {
            guard let element = attribute.type.composite?.elements.first(where: { $0.name == step }) else {
                return nil
            }
            attribute = element
        }
        guard attribute.isStored, attribute.type.composite == nil else { return nil }
        return IndexPredicate.Column(
            name: name, type: attribute.type, isNullable: true,
            isCaseInsensitive: attribute.isCaseInsensitive)
    }
}
