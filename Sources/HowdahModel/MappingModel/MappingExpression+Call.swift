extension MappingExpression {
    /// What an expression can ask for by name.
    package enum Variable: String, Hashable, Sendable, CaseIterable {
        case manager
        case source
        case destination
        case entityMapping
        case propertyMapping
        case entityPolicy

        /// The objects that take part in a migration, and whose methods are not functions.
        static let receivers = Set(allCases.filter { $0 != .source && $0 != .destination }.map(\.rawValue))
    }

    /// How the manager finds destination objects; the raw value is its method's name before `sourceInstances:`.
    package enum Lookup: String, Hashable, Sendable, CaseIterable {
        case entityMapping = "destinationInstancesForEntityMappingNamed:"
        case sourceRelationship = "destinationInstancesForSourceRelationshipNamed:"

        package var selector: String { rawValue + "sourceInstances:" }
    }

    /// What is asked of whom by a `FUNCTION` of an expression.
    package enum Call: Hashable, Sendable {
        /// The destination objects of an entity mapping, or of the destination of a relationship, for the source objects
        /// that the operand comes to.
        case destinationInstances(Lookup, name: String, of: PredicateTree.Expression)
        /// A method of the migration policy.
        case policy(selector: String, [PredicateTree.Expression])
        /// A method of something that answers none but those above.
        case unknown(target: PredicateTree.Expression, selector: String, [PredicateTree.Expression])
    }

    /// The call that the whole expression is; nil where it is none.
    package var call: Call? { root.mappingCall }

    /// All calls in the expression, those inside of others first: what has an answer before the rest can be computed.
    package var calls: [Call] {
        var calls: [Call] = []
        root.visit { expression in
            if let call = expression.mappingCall { calls.append(call) }
        }
        return calls
    }

    /// The key paths from the source object that the expression reads as values, those that only count left out.
    package var sourcePaths: [[String]] {
        var paths: [[String]] = []
        root.visit { expression in
            if case .path(.variable(Variable.source.rawValue), let keys) = expression, keys.last != "@count" {
                paths.append(keys)
            }
        }
        return paths
            + calls.compactMap { call in
                if case .destinationInstances(.sourceRelationship, let name, _) = call { [name] } else { nil }
            }
    }

    /// The selectors that the migration policy must answer, each once, in the order of the expression.
    public var policySelectors: [String] {
        calls.reduce(into: []) { result, call in
            if case .policy(let selector, _) = call, !result.contains(selector) { result.append(selector) }
        }
    }
}

extension PredicateTree.Expression {
    /// Calls `body` with each expression that is part of this one, the parts first, and then with this one.
    fileprivate func visit(_ body: (Self) -> Void) {
        let (operands, condition) = parts
        for operand in operands { operand.visit(body) }
        condition?.visit(body)
        body(self)
    }

    /// Whether this is one of the objects that take part in a migration.
    var isMappingVariable: Bool {
        if case .variable(let name) = self {
            MappingExpression.Variable.receivers.contains(name)
        } else {
            false
        }
    }

    package var mappingCall: MappingExpression.Call? {
        guard case .call(let target, let selector, let operands) = self else { return nil }
        switch target {
        case .variable(MappingExpression.Variable.manager.rawValue):
            let lookup = MappingExpression.Lookup.allCases.first { $0.selector == selector }
            guard let lookup, operands.count == 2, case .constant(.string(let name)) = operands[0] else {
                return .unknown(target: target, selector: selector, operands)
            }
            return .destinationInstances(lookup, name: name, of: operands[1])
        case .variable(MappingExpression.Variable.entityPolicy.rawValue):
            return .policy(selector: selector, operands)
        default: return .unknown(target: target, selector: selector, operands)
        }
    }
}

extension PredicateTree.Node {
    fileprivate func visit(_ body: (PredicateTree.Expression) -> Void) {
        switch self {
        case .comparison(let lhs, _, let rhs, _, _):
            lhs.visit(body)
            rhs.visit(body)
        case .and(let members), .or(let members): for member in members { member.visit(body) }
        case .not(let inner): inner.visit(body)
        case .constant, .invalid: break
        }
    }
}
