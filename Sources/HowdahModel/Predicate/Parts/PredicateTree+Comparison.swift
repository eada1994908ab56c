extension PredicateTree {
    /// Two operands, and the relation between them that the condition requires.
    ///
    /// Source: Foundation's `NSComparisonPredicate`.
    public struct Comparison: Hashable, Sendable {
        /// The left operand; with a modifier, the to-many operand whose members are compared.
        public var left: Operand
        /// The relation.
        public var `operator`: Operator
        /// The right operand; a collection for IN and BETWEEN.
        public var right: Operand
        /// The members of the left operand that must satisfy the comparison, if it is a to-many relationship.
        public var modifier: Modifier
        /// The differences between strings that are ignored.
        public var options: Options

        /// Creates a comparison without checking it; `PredicateTree(_:)` checks it and makes it a condition.
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
    /// The comparison in the syntax of a format.
    public var description: String {
        "\(modifier == .direct ? "" : modifier.rawValue + " ")\(left) \(`operator`.rawValue)\(options) \(right)"
    }
}

extension PredicateTree.Node {
    /// Creates the node of a comparison that was composed by hand.
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
