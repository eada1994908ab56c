extension PredicateTree {
    /// One operand of a comparison.
    package enum Expression: Hashable, Sendable {
        /// Names from the object itself to an attribute, relationship or composite element. A last component
        /// ``countKey`` asks for the number of members of a to-many relationship.
        case keyPath([String])
        /// A literal or an argument; normalised.
        case constant(Value)
        /// A literal or an argument of several values; normalised, in the order given.
        case collection([Value])
        /// The object itself; `SELF`.
        case evaluatedObject
        /// A `$name` that must be given a value before the tree can run.
        case variable(String)
        /// A collection of constants and at least one variable.
        case aggregate([Expression])

        /// The key path component that counts a to-many relationship.
        package static let countKey = "@count"
    }
}

extension PredicateTree.Expression {
    /// A collection that is compared as a whole is an array.
    func asArray(for op: PredicateTree.Operator) -> Self {
        guard op == .equal || op == .notEqual, case .collection(let values) = self else { return self }
        return .constant(.array(values))
    }
}
