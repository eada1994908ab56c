extension PredicateTree {
    /// Two operands, and the relation that must hold between them.
    ///
    /// Source: Foundation's `NSComparisonPredicate`.
    public struct Comparison: Hashable, Sendable {
        /// The left operand; with a modifier, the operand with the members that are asked.
        public var left: Operand
        /// The relation.
        public var `operator`: Operator
        /// The right operand; of IN and BETWEEN a collection.
        public var right: Operand
        /// The members of the left operand that must satisfy the comparison, if it is a to-many relationship.
        public var modifier: Modifier
        /// Differences between strings that do not count.
        public var options: Options

        /// Describes a comparison; `PredicateTree(_:)` checks it and makes a condition of it.
        public init(
            left: Operand, operator: Operator, right: Operand, modifier: Modifier = .direct,
            options: Options = []
        ) {
            self.left = left
            self.operator = `operator`
            self.right = right
            self.modifier = modifier
            self.options = options
        }
    }
}

extension PredicateTree.Comparison: CustomStringConvertible {
    /// The comparison as a format writes it.
    public var description: String {
        "\(modifier == .direct ? "" : modifier.rawValue + " ")\(left) \(`operator`.rawValue)\(options) \(right)"
    }
}

extension PredicateTree.Node {
    /// The node of a comparison that was put together by hand.
    init(_ comparison: PredicateTree.Comparison) throws(PredicateTreeError) {
        let (lhs, rhs) = (
            try PredicateTree.Expression(comparison.left), try PredicateTree.Expression(comparison.right)
        )
        if let complaint = PredicateTree.complaint(
            lhs: lhs, op: comparison.operator, rhs: rhs, modifier: comparison.modifier)
        {
            throw PredicateTreeError(.invalidOperand, complaint)
        }
        self = .comparison(
            lhs: lhs, op: comparison.operator, rhs: rhs, options: comparison.options,
            modifier: comparison.modifier)
    }
}
