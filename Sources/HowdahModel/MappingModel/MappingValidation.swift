/// Compares a mapping model, whose expressions have been generated, with the two models.
struct MappingValidation {
    let mappingModel: MappingModel
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    private let names: [String: EntityMapping]
    /// The hashes to compare with, empty where no mapping asks for them.
    private let sourceHashes: [String: String]
    private let destinationHashes: [String: String]
    private(set) var issues: [MappingIssue] = []
    /// What is valid, and probably not meant.
    private(set) var warnings: [MappingIssue] = []

    init(of mappingModel: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        self.mappingModel = mappingModel
        self.source = source
        self.destination = destination
        names = mappingModel.entityMappingsByName
        let mappings = mappingModel.entityMappings
        let asksSource = mappings.contains { $0.sourceEntityVersionHash != nil }
        let asksDestination = mappings.contains { $0.destinationEntityVersionHash != nil }
        sourceHashes = asksSource ? source.entityVersionHashes : [:]
        destinationHashes = asksDestination ? destination.entityVersionHashes : [:]
    }

    mutating func run() {
        var seen: Set<String> = []
        for mapping in mappingModel.entityMappings {
            if mapping.name.isEmpty {
                add(.duplicateName, nil, nil, "An entity mapping has no name. Give the mapping a name.")
            } else if !seen.insert(mapping.name).inserted {
                add(
                    .duplicateName, nil, nil,
                    "Two entity mappings have the name \"\(mapping.name)\", but expressions refer to mappings "
                        + "by name. Rename one of the mappings."
                )
            }
            check(mapping)
        }
    }

    mutating func add(
        _ code: MappingIssue.Code, _ mapping: EntityMapping?, _ property: String?, _ text: String
    ) {
        issues.append(MappingIssue(code, mapping?.name, property, text))
    }

    private mutating func check(_ mapping: EntityMapping) {
        checkType(mapping)
        let hasSource = checkEntity(mapping.sourceEntityName, source, "source", mapping)
        let isComplete = checkEntity(mapping.destinationEntityName, destination, "destination", mapping)
        checkHashes(mapping)
        if hasSource, let filter = mapping.sourceFilter { check(filter, of: mapping) }
        guard isComplete, let entity = mapping.destinationEntityName else { return }
        var seen: Set<String> = []
        for property in mapping.attributeMappings + mapping.relationshipMappings
        where !seen.insert(property.name).inserted {
            add(
                .duplicateName, mapping, property.name,
                "The property has two mappings. Remove one of the "
                    + "mappings.")
        }
        var empty: Set<String> = []
        for property in mapping.attributeMappings {
            check(property, isAttribute: true, of: mapping, entity, hasSource: hasSource, &empty)
        }
        for property in mapping.relationshipMappings {
            check(property, isAttribute: false, of: mapping, entity, hasSource: hasSource, &empty)
        }
        checkRequired(mapping, entity, empty)
    }

    private mutating func checkType(_ mapping: EntityMapping) {
        let (source, destination) = (mapping.sourceEntityName != nil, mapping.destinationEntityName != nil)
        let complaint: String? =
            switch mapping.mappingType {
            case .custom where mapping.entityMigrationPolicyClassName == nil:
                "A custom mapping needs the name of a migration policy. Add the name, or choose another type."
            case .add where source:
                "A mapping of the type add has a source. Remove the source, or choose the type transform."
            case .add where !destination:
                "A mapping of the type add has no destination. Set the destination to the added entity."
            case .remove where destination:
                "A mapping of the type remove has a destination. Remove the destination, or choose the type "
                    + "transform."
            case .remove where !source:
                "A mapping of the type remove has no source. Set the source to the removed entity."
            case .copy where !source || !destination, .transform where !source || !destination:
                "A mapping of the type \(mapping.mappingType.rawValue) needs a source and a destination. Set "
                    + "\(source ? "the destination" : destination ? "the source" : "both of them")."
            case .custom where !source && !destination:
                "The mapping has neither a source nor a destination. Set the source or the destination."
            default: nil
            }
        if let complaint { add(.invalidType, mapping, nil, complaint) }
    }

    /// Whether the entity is there.
    private mutating func checkEntity(
        _ name: String?, _ model: ManagedObjectModel, _ role: String, _ mapping: EntityMapping
    ) -> Bool {
        guard let name else { return false }
        guard model[name] != nil else {
            add(
                .unknownEntity, mapping, nil,
                "The \(role) model has no entity \(name)" + hint(name, model.entities.map(\.name)))
            return false
        }
        return true
    }

    private mutating func checkHashes(_ mapping: EntityMapping) {
        let ends = [
            ("source", mapping.sourceEntityName, mapping.sourceEntityVersionHash, sourceHashes),
            (
                "destination", mapping.destinationEntityName, mapping.destinationEntityVersionHash,
                destinationHashes
            ),
        ]
        for case (let role, let name?, let hash?, let hashes) in ends {
            guard let found = hashes[name], found != hash else { continue }
            add(
                .versionMismatch, mapping, nil,
                "The mapping was created for another version of \(name) in the \(role) model. Use the model "
                    + "of that version, or remove the version hash from the mapping."
            )
        }
    }

    /// - Parameter empty: The relationships whose expressions give them no object.
    private mutating func check(
        _ property: PropertyMapping, isAttribute: Bool, of mapping: EntityMapping, _ entity: String,
        hasSource: Bool, _ empty: inout Set<String>
    ) {
        guard let found = destination.property(named: property.name, of: entity) else {
            let names = destination.properties(of: entity).map(\.name)
            add(
                .unknownProperty, mapping, property.name,
                "\(entity) in the destination model has no property \(property.name)"
                    + hint(property.name, names))
            return
        }
        guard (found.attribute != nil) == isAttribute else {
            add(
                .typeMismatch, mapping, property.name,
                "\(entity).\(property.name) is \(isAttribute ? "a relationship" : "an attribute") in the "
                    + "destination model. Move its mapping to the "
                    + "\(isAttribute ? "relationship" : "attribute") mappings."
            )
            return
        }
        guard let expression = property.valueExpression else { return }
        var check = MappingExpressionCheck(
            mapping: mapping, property: found, source: source, destination: destination, names: names,
            sourceEntity: hasSource ? mapping.sourceEntityName : nil)
        check.run(expression)
        issues += check.issues
        warnings += check.warnings
        if check.isAlwaysEmpty { empty.insert(property.name) }
    }

    /// A filter is a condition on source objects, and nothing else is known there.
    private mutating func check(_ filter: PredicateTree, of mapping: EntityMapping) {
        if let error = filter.error {
            add(.invalidFilter, mapping, nil, "The source filter is invalid. \(error.message)")
            return
        }
        for name in filter.variables.sorted() {
            add(
                .invalidFilter, mapping, nil,
                "The variable $\(name) has no value in a source filter. Write the value in place of the "
                    + "variable.")
        }
        guard let entity = mapping.sourceEntityName else { return }
        for path in filter.keyPaths {
            var walk = MappingWalk(from: entity, in: source, role: "source")
            walk.follow(path)
            if let complaint = walk.complaint {
                add(.invalidFilter, mapping, nil, "The source filter is invalid. \(complaint)")
            }
        }
    }

    private mutating func checkRequired(_ mapping: EntityMapping, _ entity: String, _ empty: Set<String>) {
        guard mapping.mappingType == .transform || mapping.mappingType == .copy,
            // No object is made of an abstract entity's.
            mapping.sourceEntityName.flatMap({ source[$0] })?.isAbstract != true
        else { return }
        var mapped: [String: PropertyMapping] = [:]
        for property in mapping.attributeMappings + mapping.relationshipMappings {
            mapped[property.name] = property
        }
        for property in destination.properties(of: entity) where property.isRequired {
            let isEmpty = empty.contains(property.name)
            guard isEmpty || mapped[property.name]?.valueExpression == nil else { continue }
            if let relationship = property.relationship, isSetByInverse(relationship) { continue }
            if isEmpty {
                add(
                    .missingValue, mapping, property.name,
                    "The mapping gives no object to \(entity).\(property.name), which requires one. Change the "
                        + "mapping's expression to one with objects of "
                        + "\(property.relationship?.destination ?? ""), or make the relationship optional."
                )
                continue
            }
            add(
                .missingValue, mapping, property.name,
                "\(entity).\(property.name) needs a value, but the mapping sets none. Add an "
                    + "expression\(property.attribute == nil ? "" : ", a default value of the attribute") or "
                    + "a migration policy of the mapping."
            )
        }
    }

    /// Whether another mapping may set the relationship from its other end.
    private func isSetByInverse(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse else { return false }
        let ends = Set(
            destination.descendants(of: relationship.destination).map(\.name)
                + destination.lineage(of: relationship.destination).map(\.name))
        return mappingModel.entityMappings.contains { other in
            guard let end = other.destinationEntityName, ends.contains(end) else { return false }
            return other.entityMigrationPolicyClassName != nil
                || other.relationshipMappings.contains {
                    $0.name == inverse && $0.valueExpression != nil
                }
        }
    }

    private func hint(_ name: String, _ candidates: [String]) -> String { Self.hint(name, candidates) }

    /// The end of a sentence about an unknown name.
    static func hint(_ name: String, _ candidates: [String]) -> String {
        if let nearest = NearestName.of(name, among: candidates) { return ". Did you mean \(nearest)?" }
        return candidates.isEmpty
            ? ", and none with another name. Remove \(name) from the mapping."
            : ". Use one of \(candidates.sorted().joined(separator: ", "))."
    }
}

extension PropertyDescription {
    /// Whether an object without a value for it cannot be saved.
    fileprivate var isRequired: Bool {
        if let attribute {
            return !attribute.isOptional && attribute.defaultValue == nil && attribute.isStored
                && attribute.derivationExpression == nil
        }
        guard let relationship, !relationship.isTransient else { return false }
        return !relationship.isOptional && (!relationship.isToMany || relationship.minCount > 0)
    }
}
