extension PredicateTree {
    /// The outermost level of a condition.
    ///
    /// Later versions may add cases: end a switch with `@unknown default`.
    ///
    /// Source: Foundation's `NSComparisonPredicate` and `NSCompoundPredicate`.
    public enum Kind: Hashable, Sendable {
        /// Two operands, and the relation between them that the condition requires.
        case comparison(Comparison)
        /// Conditions under AND or OR, or exactly one under NOT.
        case compound(CompoundType, [PredicateTree])
        /// TRUEPREDICATE or FALSEPREDICATE.
        case constant(Bool)
        /// A format that could not be read, and its error.
        case invalid(PredicateTreeError)
    }

    /// The word between the conditions of a compound.
    public enum CompoundType: String, Hashable, Sendable, CaseIterable {
        /// The compound is true if all conditions are.
        case and = "AND"
        /// The compound is true if at least one condition is.
        case or = "OR"
        /// The compound is true if the condition is false.
        case not = "NOT"
    }

    /// The parts of the condition, one level deep; ``init(kind:)`` joins them again.
    ///
    /// ```swift
    /// switch predicate.kind {
    /// case .comparison(let comparison): print(comparison.left, comparison.operator.rawValue, comparison.right)
    /// case .compound(let type, let subpredicates): print(type.rawValue, subpredicates.count)
    /// case .constant(let holds): print(holds)
    /// case .invalid(let error): throw error
    /// @unknown default: print(predicate)
    /// }
    /// ```
    public var kind: Kind {
        switch root {
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            .comparison(
                Comparison(
                    left: Operand(lhs), operator: op, right: Operand(rhs), modifier: modifier,
                    options: options))
        case .and(let members): .compound(.and, members.map { PredicateTree($0) })
        case .or(let members): .compound(.or, members.map { PredicateTree($0) })
        case .not(let inner): .compound(.not, [PredicateTree(inner)])
        case .constant(let holds): .constant(holds)
        case .invalid(let error): .invalid(error)
        }
    }

    /// Creates a condition from its parts.
    ///
    /// - Throws: `PredicateTreeError` with `invalidOperand` for operands that do not suit their operator or
    ///   have no form in a format, `unsupported` for an unknown function, or `tooLarge`. The error of a part
    ///   that is invalid.
    public init(kind: Kind) throws(PredicateTreeError) {
        switch kind {
        case .comparison(let comparison): self.init(try Node(comparison))
        case .compound(.and, let members): self = .and(members)
        case .compound(.or, let members): self = .or(members)
        case .compound(.not, let members):
            guard members.count == 1 else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "NOT was given \(members.count) conditions. Give NOT one condition, such as an AND or OR "
                        + "of several."
                )
            }
            self = .not(members[0])
        case .constant(let holds): self.init(.constant(holds))
        case .invalid(let error): throw error
        }
        if let error { throw error }
    }

    /// Creates a condition from a comparison.
    ///
    /// - Throws: The errors of ``init(kind:)``.
    public init(_ comparison: Comparison) throws(PredicateTreeError) {
        try self.init(kind: .comparison(comparison))
    }
}
