extension PredicateTree {
    /// One level of a condition.
    package indirect enum Node: Hashable, Sendable {
        /// Two operands and what must hold between them.
        case comparison(
            lhs: Expression, op: Operator, rhs: Expression, options: Options = [],
            modifier: Modifier = .direct)
        /// All must hold; true when empty.
        case and([Node])
        /// One must hold; false when empty.
        case or([Node])
        /// The opposite, in two-valued logic: a comparison that is false because of nil is true under NOT.
        case not(Node)
        /// TRUEPREDICATE or FALSEPREDICATE.
        case constant(Bool)
        /// A format that could not be parsed.
        case invalid(PredicateTreeError)
    }
}

extension PredicateTree.Node {
    /// A conjunction without direct conjunctions inside, and without a wrapper around a single member.
    package static func all(_ nodes: [Self]) -> Self {
        let flat = nodes.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } }
        return flat.isEmpty ? .constant(true) : flat.count == 1 ? flat[0] : .and(flat)
    }

    /// A disjunction without direct disjunctions inside, and without a wrapper around a single member.
    package static func any(_ nodes: [Self]) -> Self {
        let flat = nodes.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } }
        return flat.isEmpty ? .constant(false) : flat.count == 1 ? flat[0] : .or(flat)
    }

    /// Walks with a list instead of recursion, because the answer decides whether recursion is safe.
    var measured: (depth: Int, terms: Int) {
        var deepest = 0
        var terms = 0
        var open = [(self, 0)]
        while let (node, depth) = open.popLast() {
            deepest = max(deepest, depth)
            switch node {
            case .comparison, .constant, .invalid: terms += 1
            case .not(let inner): open.append((inner, depth + 1))
            case .and(let members), .or(let members):
                for member in members { open.append((member, depth + 1)) }
            }
        }
        return (deepest, terms)
    }
}
