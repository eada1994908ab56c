extension PredicateTree {
    /// The names of the variables that have no value yet.
    public var variables: Set<String> {
        var names: Set<String> = []
        _ = mappingExpressions { expression in
            switch expression {
            case .variable(let name): names.insert(name)
            case .aggregate(let members):
                for case .variable(let name) in members { names.insert(name) }
            default: break
            }
            return expression
        }
        return names
    }

    /// The same condition with values in place of `$variables`; variables without a value stay.
    ///
    /// - Throws: `argumentType` for a value that no predicate can compare with, `invalidOperand` for one that
    ///   does not suit its operator.
    public func withSubstitutionVariables(
        _ values: [String: (any Sendable)?]
    ) throws(PredicateTreeError) -> PredicateTree {
        var constants: [String: Expression] = [:]
        for (name, value) in values {
            guard let constant = Expression(argument: value) else {
                throw PredicateTreeError(
                    .argumentType, "The value of $\(name) has a type that no predicate can compare with.",
                    token: "$\(name)")
            }
            constants[name] = constant
        }
        return try substituting(constants)
    }

    /// The same condition with constants or collections in place of variables.
    package func substituting(_ constants: [String: Expression]) throws(PredicateTreeError) -> PredicateTree {
        let root = mappingExpressions { $0.substituting(constants) }
        if let complaint = Self.complaint(in: root) { throw PredicateTreeError(.invalidOperand, complaint) }
        return PredicateTree(root, depth: depth, terms: terms)
    }

    private func mappingExpressions(_ transform: (Expression) -> Expression) -> Node {
        Self.mapping(root, transform)
    }

    private static func mapping(_ node: Node, _ transform: (Expression) -> Expression) -> Node {
        switch node {
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            .comparison(
                lhs: transform(lhs), op: op, rhs: transform(rhs), options: options, modifier: modifier)
        case .and(let members): .and(members.map { mapping($0, transform) })
        case .or(let members): .or(members.map { mapping($0, transform) })
        case .not(let inner): .not(mapping(inner, transform))
        case .constant, .invalid: node
        }
    }

    /// The first complaint about operands, now that variables have values.
    private static func complaint(in node: Node) -> String? {
        switch node {
        case .comparison(let lhs, let op, let rhs, _, let modifier):
            return complaint(lhs: lhs, op: op, rhs: rhs, modifier: modifier)
        case .and(let members), .or(let members):
            for member in members { if let complaint = complaint(in: member) { return complaint } }
            return nil
        case .not(let inner): return complaint(in: inner)
        case .constant, .invalid: return nil
        }
    }
}

extension PredicateTree.Expression {
    fileprivate func substituting(_ constants: [String: Self]) -> Self {
        switch self {
        case .variable(let name): return constants[name] ?? self
        case .aggregate(let members):
            let members = members.map { $0.substituting(constants) }
            let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            return values.count == members.count ? .collection(values) : .aggregate(members)
        default: return self
        }
    }
}
