/// Looks at the expression of one property: whether what it names is there, and whether the property can hold what it
/// comes to.
struct MappingExpressionCheck {
    let mapping: EntityMapping
    let property: PropertyDescription
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let names: [String: EntityMapping]
    /// The entity of `$source`; nil where there is no source, or none that is known.
    let sourceEntity: String?
    private(set) var issues: [MappingIssue] = []
    /// Expressions that name an entity mapping of other entities.
    private(set) var warnings: [MappingIssue] = []
    /// Whether the expression gives no object to any relationship.
    private(set) var isAlwaysEmpty = false

    init(
        mapping: EntityMapping, property: PropertyDescription, source: ManagedObjectModel,
        destination: ManagedObjectModel, names: [String: EntityMapping], sourceEntity: String?
    ) {
        self.mapping = mapping
        self.property = property
        self.source = source
        self.destination = destination
        self.names = names
        self.sourceEntity = sourceEntity
    }

    /// What an expression comes to, as far as that can be told without running it.
    enum Outcome {
        case constant(Value)
        case attribute(AttributeDescription, isMany: Bool)
        case sourceObjects(entity: String, isMany: Bool)
        /// - Parameter entityMapping: The mapping that makes the objects, if the expression names it.
        case destinationObjects(entity: String?, isMany: Bool, entityMapping: EntityMapping? = nil)
        /// No objects, whatever the source object is.
        case noObjects
        case unknown
    }

    mutating func run(_ expression: MappingExpression) {
        let outcome = outcome(expression.root, bound: [])
        if property.attribute != nil { checkAttribute(outcome) } else { checkRelationship(outcome) }
    }

    /// Notes that an expression finds nothing.
    mutating func warn(_ text: String) -> Outcome {
        let warning = MappingIssue(.unrelatedMapping, mapping.name, property.name, text)
        if !warnings.contains(warning) { warnings.append(warning) }
        return .noObjects
    }

    mutating func findNoObjects() { isAlwaysEmpty = true }

    mutating func add(_ code: MappingIssue.Code, _ text: String) {
        let issue = MappingIssue(code, mapping.name, property.name, text)
        if !issues.contains(issue) { issues.append(issue) }
    }

    private mutating func outcome(
        _ expression: PredicateTree.Expression, bound: Set<String>
    ) -> Outcome {
        switch expression {
        case .constant(let value): return .constant(value)
        case .variable(let name): return object(name, [], bound)
        case .path(.variable(let name), let keys): return object(name, keys, bound)
        case .keyPath(let keys):
            add(
                .unknownVariable,
                "The key path \(keys.joined(separator: ".")) does not begin at an object. Write "
                    + "$source.\(keys.joined(separator: "."))."
            )
            return .unknown
        case .evaluatedObject:
            add(.unknownVariable, "SELF is not available in a mapping model. Use $source.")
            return .unknown
        case .call: return call(expression, bound)
        case .path(let base, let keys) where base.mappingCall != nil:
            // Keys of sub-entities are those of objects that policies make.
            if case .destinationObjects(let entity?, _, let maker?) = call(base, bound),
                maker.entityMigrationPolicyClassName == nil, destination[entity] != nil
            {
                _ = follow(keys, from: entity, in: destination, "destination")
            }
            return .unknown
        default:
            let (operands, condition) = expression.parts
            for operand in operands { _ = outcome(operand, bound: bound) }
            if let condition {
                var inner = bound
                if case .subquery(_, let variable, _) = expression { inner.insert(variable) }
                check(condition, bound: inner)
            }
            return .unknown
        }
    }

    private mutating func check(_ node: PredicateTree.Node, bound: Set<String>) {
        switch node {
        case .comparison(let lhs, _, let rhs, _, _):
            _ = outcome(lhs, bound: bound)
            _ = outcome(rhs, bound: bound)
        case .and(let members), .or(let members): for member in members { check(member, bound: bound) }
        case .not(let inner): check(inner, bound: bound)
        case .constant, .invalid: break
        }
    }

    /// A variable, and what lies at the end of keys behind it.
    private mutating func object(_ name: String, _ keys: [String], _ bound: Set<String>) -> Outcome {
        if bound.contains(name) { return .unknown }
        guard let variable = MappingExpression.Variable(rawValue: name) else {
            let known = MappingExpression.Variable.allCases.map(\.rawValue)
            add(.unknownVariable, "Unknown variable $\(name)\(MappingValidation.hint(name, known))")
            return .unknown
        }
        switch variable {
        case .source:
            guard let entity = sourceEntity else {
                if mapping.sourceEntityName == nil {
                    add(
                        .unknownVariable,
                        "$source has no object, because the mapping has no source. Use a "
                            + "constant."
                    )
                }
                return .unknown
            }
            return follow(keys, from: entity, in: source, "source")
        case .destination:
            guard let entity = mapping.destinationEntityName else { return .unknown }
            return follow(keys, from: entity, in: destination, "destination")
        case .manager, .entityPolicy:
            add(
                .typeMismatch,
                "$\(name) is not a value. Call one of its methods: FUNCTION($\(name), 'selector', operands).")
            return .unknown
        case .entityMapping, .propertyMapping:
            add(
                .typeMismatch,
                "$\(name) is not a value. Write the value as a constant, or pass $\(name) to a method of "
                    + "$entityPolicy."
            )
            return .unknown
        }
    }

    private mutating func follow(
        _ keys: [String], from entity: String, in model: ManagedObjectModel, _ role: String
    ) -> Outcome {
        var walk = MappingWalk(from: entity, in: model, role: role)
        walk.follow(keys)
        if let complaint = walk.complaint {
            add(.unknownProperty, complaint)
            return .unknown
        }
        switch walk.place {
        case .attribute(let attribute): return .attribute(attribute, isMany: walk.isMany)
        case .object(let entity):
            return role == "source"
                ? .sourceObjects(entity: entity, isMany: walk.isMany)
                : .destinationObjects(entity: entity, isMany: walk.isMany)
        case .value: return .unknown
        }
    }

    private mutating func call(_ expression: PredicateTree.Expression, _ bound: Set<String>) -> Outcome {
        switch expression.mappingCall {
        case .destinationInstances(let lookup, let name, let operand)?:
            return destinationObjects(lookup, name, outcome(operand, bound: bound))
        case .policy(let selector, let operands)?:
            // Policies may be handed what takes part in the migration.
            for operand in operands where !operand.isMappingVariable { _ = outcome(operand, bound: bound) }
            if mapping.entityMigrationPolicyClassName == nil {
                add(
                    .unknownSelector,
                    "The expression calls \(selector) of the entity's migration policy, but the mapping has "
                        + "no policy. Name a policy that has the method."
                )
            }
            return .unknown
        case .unknown(let target, let selector, let operands)?:
            for operand in operands { _ = outcome(operand, bound: bound) }
            let known = MappingExpression.Lookup.allCases.map(\.selector).joined(separator: " or ")
            add(
                .unknownSelector,
                target == .variable(MappingExpression.Variable.manager.rawValue)
                    ? "$manager has no method \(selector). Use \(known), with the name in quotes, or "
                        + "a method of the entity's migration policy."
                    : "\(target) has no method \(selector). Add the method to the migration policy, and call "
                        + "FUNCTION($entityPolicy, '\(selector)', …)."
            )
            return .unknown
        case nil: return .unknown
        }
    }
}
