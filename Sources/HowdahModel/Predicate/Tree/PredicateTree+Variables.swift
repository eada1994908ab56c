extension PredicateTree {
    /// The variable for the object of a fetched property.
    package static let fetchSource = "FETCH_SOURCE"
    /// The variable for the fetched property.
    package static let fetchedProperty = "FETCHED_PROPERTY"

    /// The names of the variables without a value; the variables of sub-queries have one in them.
    public var variables: Set<String> {
        var names: Set<String> = []
        Self.collect(root, bound: [], into: &names)
        return names
    }

    private static func collect(_ node: Node, bound: Set<String>, into names: inout Set<String>) {
        switch node {
        case .comparison(let lhs, _, let rhs, _, _):
            collect(lhs, bound: bound, into: &names)
            collect(rhs, bound: bound, into: &names)
        case .and(let members), .or(let members):
            for member in members { collect(member, bound: bound, into: &names) }
        case .not(let inner): collect(inner, bound: bound, into: &names)
        case .constant, .invalid: break
        }
    }

    private static func collect(
        _ expression: Expression, bound: Set<String>, into names: inout Set<String>
    ) {
        if case .variable(let name) = expression, !bound.contains(name) { names.insert(name) }
        let (operands, condition) = expression.parts
        for operand in operands { collect(operand, bound: bound, into: &names) }
        guard let condition else { return }
        if case .subquery(_, let variable, _) = expression {
            collect(condition, bound: bound.union([variable]), into: &names)
        } else {
            collect(condition, bound: bound, into: &names)
        }
    }

    /// Returns the same condition with values instead of `$variables`; variables without a value stay.
    ///
    /// - Throws: `PredicateTreeError` with `argumentType` for a value that no predicate can compare with, or
    ///   `invalidOperand` for one that does not suit its operator.
    public func withSubstitutionVariables(
        _ values: [String: (any Sendable)?]
    ) throws(PredicateTreeError) -> PredicateTree {
        var constants: [String: Expression] = [:]
        for (name, value) in values {
            guard let constant = Expression(argument: value) else {
                let given = value.map { "\(type(of: $0))" } ?? "nil"
                throw PredicateTreeError(
                    .argumentType,
                    "The value of $\(name) has the type \(given), which a predicate cannot compare. Pass a "
                        + "number, string, date, Data, UUID, URL or object id, or a collection of them.",
                    token: "$\(name)")
            }
            constants[name] = constant
        }
        return try substituting(constants)
    }

    /// Returns the same condition with constants or collections instead of variables.
    package func substituting(_ constants: [String: Expression]) throws(PredicateTreeError) -> PredicateTree {
        let root = root.substituting(constants)
        if let complaint = Self.complaint(in: root) { throw PredicateTreeError(.invalidOperand, complaint) }
        return PredicateTree(root)
    }

    /// Returns the first complaint about operands, after variables have values.
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

extension PredicateTree.Node {
    fileprivate func substituting(_ constants: [String: PredicateTree.Expression]) -> Self {
        switch self {
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            .comparison(
                lhs: lhs.substituting(constants), op: op, rhs: rhs.substituting(constants), options: options,
                modifier: modifier)
        case .and(let members): .and(members.map { $0.substituting(constants) })
        case .or(let members): .or(members.map { $0.substituting(constants) })
        case .not(let inner): .not(inner.substituting(constants))
        case .constant, .invalid: self
        }
    }
}

extension PredicateTree.Expression {
    fileprivate func substituting(_ constants: [String: Self]) -> Self {
        switch self {
        case .variable(let name): return constants[name] ?? self
        case .keyPath, .constant, .collection, .evaluatedObject: return self
        case .aggregate(let members):
            let members = members.map { $0.substituting(constants) }
            let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            return values.count == members.count ? .collection(values) : .aggregate(members)
        case .function(let function, let operands):
            return .function(function, operands.map { $0.substituting(constants) })
        case .cast(let operand, let type): return .casting(operand.substituting(constants), type)
        case .conditional(let test, let a, let b):
            return .conditional(
                test.substituting(constants), a.substituting(constants), b.substituting(constants))
        case .path(let base, let keys): return .joined(base.substituting(constants), keys)
        case .subquery(let members, let variable, let condition):
            var inner = constants
            inner[variable] = nil
            return .subquery(
                members.substituting(constants), variable: variable, condition.substituting(inner))
        case .element(let base, let position): return .element(base.substituting(constants), position)
        case .set(let op, let a, let b):
            return .set(op, a.substituting(constants), b.substituting(constants))
        case .call(let target, let selector, let operands):
            return .call(
                target.substituting(constants), selector: selector,
                operands.map { $0.substituting(constants) })
        }
    }

    /// Returns the cast of an operand; for a literal the resulting value.
    static func casting(_ operand: Self, _ type: PredicateTree.Cast) -> Self {
        if case .constant(let value) = operand, let cast = PredicateCast.value(of: value, as: type.rawValue) {
            return .constant(cast)
        }
        return .cast(operand, type)
    }
}
