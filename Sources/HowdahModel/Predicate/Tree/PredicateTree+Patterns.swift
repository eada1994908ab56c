extension PredicateTree {
    /// The comparisons with MATCHES, in the syntax of a format.
    package var patterns: [String] { root.patterns }
}

extension PredicateTree.Node {
    fileprivate var patterns: [String] {
        switch self {
        case .comparison(_, .matches, _, _, _): [PredicateTree(self).description]
        case .comparison(let lhs, _, let rhs, _, _): lhs.patterns + rhs.patterns
        case .and(let inner), .or(let inner): inner.flatMap(\.patterns)
        case .not(let inner): inner.patterns
        case .constant, .invalid: []
        }
    }
}

extension PredicateTree.Expression {
    /// The comparisons with MATCHES in nested conditions.
    package var patterns: [String] {
        let (operands, condition) = parts
        return operands.flatMap(\.patterns) + (condition?.patterns ?? [])
    }
}
