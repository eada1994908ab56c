extension PredicateTree {
    /// One operand of a comparison.
    package indirect enum Expression: Hashable, Sendable {
        /// Names from the object itself to an attribute, relationship or composite element.
        ///
        /// A component that begins with `@`, such as ``countKey``, is an operation on all members of the
        /// to-many relationship before it.
        case keyPath([String])
        /// A literal or an argument; normalised.
        case constant(Value)
        /// A literal or an argument of several values; normalised, in the order given.
        case collection([Value])
        /// The object itself; `SELF`.
        case evaluatedObject
        /// A `$name`: the member in a sub-query, otherwise a variable that needs a value before the tree can
        /// run.
        case variable(String)
        /// A collection with at least one member that is not a constant.
        case aggregate([Expression])
        case function(Function, [Expression])
        case cast(Expression, Cast)
        /// `TERNARY(condition, a, b)`
        case conditional(Node, Expression, Expression)
        /// Names from the result of another operand; see ``joined(_:_:)``.
        case path(Expression, [String])
        /// The members of a collection that satisfy a condition.
        ///
        /// In it, the variable stands for the member, and key paths begin at the object around it.
        case subquery(Expression, variable: String, Node)
        /// One member of an array or an ordered relationship; nil if it does not exist.
        case element(Expression, Position)
        case set(SetOperator, Expression, Expression)
        /// `FUNCTION(target, 'selector', operands)` with a selector that is not a ``Function``: a method of
        /// an object.
        ///
        /// Only the expressions of mapping models have it; see ``MappingExpression``.
        case call(Expression, selector: String, [Expression])

        /// The key path component that counts a to-many relationship.
        package static let countKey = KeyPathOperator.count.rawValue
    }
}

extension PredicateTree.Expression {
    /// Returns the operand at the end of `keys` from another operand.
    package static func joined(_ base: Self, _ keys: [String]) -> Self {
        switch base {
        case _ where keys.isEmpty: base
        case .evaluatedObject: .keyPath(keys)
        case .keyPath(let path): .keyPath(path + keys)
        case .path(let base, let path): .path(base, path + keys)
        default: .path(base, keys)
        }
    }

    /// Returns an array if this is a collection that is compared as a whole.
    func asArray(for op: PredicateTree.Operator) -> Self {
        guard op == .equal || op == .notEqual, case .collection(let values) = self else { return self }
        return .constant(.array(values))
    }

    /// The directly nested operands and condition.
    package var parts: (operands: [Self], condition: PredicateTree.Node?) {
        switch self {
        case .keyPath, .constant, .collection, .evaluatedObject, .variable: ([], nil)
        case .aggregate(let members), .function(_, let members): (members, nil)
        case .cast(let inner, _), .path(let inner, _), .element(let inner, _): ([inner], nil)
        case .conditional(let test, let a, let b): ([a, b], test)
        case .subquery(let members, _, let condition): ([members], condition)
        case .set(_, let a, let b): ([a, b], nil)
        case .call(let target, _, let operands): ([target] + operands, nil)
        }
    }

    /// A Boolean value that indicates whether the operand is more than a key path or constants.
    package var isComputed: Bool {
        switch self {
        case .keyPath, .constant, .collection, .evaluatedObject, .variable, .aggregate: false
        case .function, .cast, .conditional, .path, .subquery, .element, .set, .call: true
        }
    }
}
