extension MappingExpressionCheck {
    /// The destination objects of an entity mapping, or of the destination of a relationship.
    mutating func destinationObjects(
        _ lookup: MappingExpression.Lookup, _ name: String, _ instances: Outcome
    ) -> Outcome {
        var isMany = true
        var operand: String?
        switch instances {
        case .sourceObjects(let entity, let many): (operand, isMany) = (entity, many)
        case .constant(.null): isMany = false
        case .noObjects: return .noObjects
        case .constant, .attribute, .destinationObjects:
            isMany = false
            add(
                .typeMismatch,
                "\(lookup.selector) needs objects of the source model. Use $source or a relationship of "
                    + "$source.")
        case .unknown: break
        }
        switch lookup {
        case .entityMapping:
            guard let mapping = names[name] else {
                add(
                    .unknownMapping,
                    "Unknown entity mapping \(name)\(MappingValidation.hint(name, names.keys.sorted()))")
                return .unknown
            }
            guard let made = mapping.destinationEntityName else {
                return warn(
                    "The entity mapping \(name) has no destination, so it creates no objects. "
                        + "\(Self.anotherMapping)"
                )
            }
            guard let taken = mapping.sourceEntityName else {
                if mapping.entityMigrationPolicyClassName != nil {
                    return .destinationObjects(entity: made, isMany: isMany, entityMapping: mapping)
                }
                return warn(
                    "The entity mapping \(name) has no source, so it creates nothing from source objects. "
                        + "\(Self.anotherMapping)"
                )
            }
            if let operand, !isRelated(operand, taken, in: source) {
                return warn(
                    "The entity mapping \(name) maps objects of \(taken), so it has none for objects of "
                        + "\(operand). \(Self.anotherMapping)"
                )
            }
            return .destinationObjects(entity: made, isMany: isMany, entityMapping: mapping)
        case .sourceRelationship:
            guard let entity = sourceEntity else { return .unknown }
            guard let relationship = source.property(named: name, of: entity)?.relationship else {
                let names = source.properties(of: entity).compactMap { $0.relationship?.name }
                add(
                    .unknownMapping,
                    "\(entity) in the source model has no relationship \(name)\(MappingValidation.hint(name, names))"
                )
                return .unknown
            }
            if let operand, !isRelated(operand, relationship.destination, in: source) {
                return warn(
                    "\(entity).\(name) is a relationship to \(relationship.destination). The expression passes objects of "
                        + "\(operand), so it finds none. Name a relationship to \(operand)."
                )
            }
            return .destinationObjects(entity: nil, isMany: isMany)
        }
    }

    private static let anotherMapping = "Use another entity mapping in the expression."

    /// Whether a relationship can take objects of an entity.
    ///
    /// A migration policy may make objects of sub-entities; without one, they are of exactly the entity.
    private func takes(_ entity: String, _ maker: EntityMapping?, _ relationship: RelationshipDescription)
        -> Bool
    {
        guard let maker, maker.entityMigrationPolicyClassName == nil else {
            return isRelated(entity, relationship.destination, in: destination)
        }
        return destination.lineage(of: entity).contains { $0.name == relationship.destination }
    }

    /// Whether an object can be of both entities.
    private func isRelated(_ one: String, _ other: String, in model: ManagedObjectModel) -> Bool {
        (model.lineage(of: one) + model.descendants(of: one)).contains { $0.name == other }
    }

    mutating func checkAttribute(_ outcome: Outcome) {
        guard let attribute = property.attribute else { return }
        switch outcome {
        case .unknown: break
        case .constant(.null):
            if !attribute.isOptional {
                add(
                    .typeMismatch,
                    "The attribute must have a value, but the expression is nil. Give a value, or make the "
                        + "attribute optional."
                )
            }
        case .constant(let value):
            if !attribute.type.takes(value) {
                add(
                    .typeMismatch,
                    "\(PredicateTree.Expression.constant(value)) is not a value of the type "
                        + "\(attribute.type.name). Correct the value."
                )
            }
        case .attribute(let from, let isMany):
            if isMany, attribute.type.element == nil {
                add(
                    .typeMismatch,
                    "The key path crosses a to-many relationship, but the attribute needs one value. Use "
                        + "@sum, @max or another operator, or a migration policy."
                )
            } else if !isMany, !attribute.type.takes(valuesOf: from.type) {
                add(
                    .typeMismatch,
                    "\(from.name) is of the type \(from.type.name), but the attribute is of the type "
                        + "\(attribute.type.name). Convert the value in a migration policy."
                )
            }
        case .sourceObjects, .destinationObjects, .noObjects:
            add(
                .typeMismatch,
                "The expression evaluates to objects, but the attribute needs a value. Name an attribute of "
                    + "the objects."
            )
        }
    }

    mutating func checkRelationship(_ outcome: Outcome) {
        guard let relationship = property.relationship else { return }
        switch outcome {
        case .unknown: break
        case .constant(.null), .noObjects: findNoObjects()
        case .constant, .attribute:
            add(
                .typeMismatch,
                "The expression evaluates to a value, but the relationship needs objects. "
                    + "Use FUNCTION($manager, '\(MappingExpression.Lookup.entityMapping.selector)', "
                    + "'name of the entity mapping', $source.relationship).")
        case .sourceObjects:
            add(
                .typeMismatch,
                "The expression evaluates to objects of the source model, not to the objects created from them. "
                    + "Use FUNCTION($manager, '\(MappingExpression.Lookup.entityMapping.selector)', "
                    + "'name of the entity mapping', <this expression>)."
            )
        case .destinationObjects(let entity, let isMany, let maker):
            if let entity, let maker, destination[entity] != nil, !takes(entity, maker, relationship) {
                _ = warn(
                    "The entity mapping \(maker.name) creates objects of \(entity), but the relationship "
                        + "needs objects of \(relationship.destination), so it gets none. "
                        + "\(Self.anotherMapping)"
                )
                return findNoObjects()
            }
            if isMany, !relationship.isToMany {
                add(
                    .typeMismatch,
                    "The expression may evaluate to several objects, but the relationship can have only one. "
                        + "Choose one object in a migration policy."
                )
            }
            guard let entity, destination[entity] != nil else { return }
            if !isRelated(entity, relationship.destination, in: destination) {
                add(
                    .typeMismatch,
                    "The expression evaluates to objects of \(entity), but the relationship needs objects of "
                        + "\(relationship.destination). Use an expression for objects of that entity."
                )
            }
        }
    }
}

extension AttributeType {
    /// Whether the type is one of numbers; a value of one of them can be stored as another, where it fits.
    private var isNumber: Bool {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: true
        default: false
        }
    }

    /// Whether values of another type can be stored in this one, each or those that fit.
    fileprivate func takes(valuesOf other: AttributeType) -> Bool {
        if isNumber && other.isNumber { return true }
        switch (kind, other.kind) {
        case (.undefined, _), (_, .undefined), (.transformable, _), (_, .transformable): return true
        case (.array(let element), .array(let from)): return element.takes(valuesOf: from)
        case (.composite(let composite), .composite(let from)):
            return composite.elements.map(\.name) == from.elements.map(\.name)
        default: return self == other
        }
    }

    /// Whether a constant can be stored, numbers as whatever kind of number this is.
    fileprivate func takes(_ value: Value) -> Bool {
        let value = coerced(value)
        if accepts(value) { return true }
        switch (kind, value) {
        case (.undefined, _), (.transformable, _): return true
        case (.boolean, .int(let number)): return number == 0 || number == 1
        case (.integer16, .bool), (.integer32, .bool), (.integer64, .bool): return true
        case (.integer16, .double(let number)): return Int16(exactly: number) != nil
        case (.integer32, .double(let number)): return Int32(exactly: number) != nil
        case (.integer64, .double(let number)): return Int64(exactly: number) != nil
        case (.decimal, .int), (.decimal, .double), (.double, .int), (.double, .decimal), (.float, .int),
            (.float, .double), (.float, .decimal):
            return true
        default: return false
        }
    }
}
