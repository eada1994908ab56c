extension PredicateTree {
    /// One level of a condition.
    package indirect enum Node: Hashable, Sendable {
        /// Two operands and the relation between them.
        case comparison(
            lhs: Expression, op: Operator, rhs: Expression, options: Options = [],
            modifier: Modifier = .direct)
        /// True if all are true, or if there are none.
        case and([Node])
        /// True if one is true; false if there are none.
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
    /// Returns a conjunction without directly nested conjunctions, and without a wrapper around a single
    /// member.
    package static func all(_ nodes: [Self]) -> Self {
        let flat = nodes.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } }
        return flat.isEmpty ? .constant(true) : flat.count == 1 ? flat[0] : .and(flat)
    }

    /// Returns a disjunction without directly nested disjunctions, and without a wrapper around a single
    /// member.
    package static func any(_ nodes: [Self]) -> Self {
        let flat = nodes.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } }
        return flat.isEmpty ? .constant(false) : flat.count == 1 ? flat[0] : .or(flat)
    }

    /// The depth and the number of terms.
    ///
    /// It iterates with a list instead of recursion, because the result determines whether recursion is safe.
    var measured: (depth: Int, terms: Int) {
        var deepest = 0
        var terms = 0
        var open = [(Part.node(self), 0)]
        while let (part, depth) = open.popLast() {
            deepest = max(deepest, depth)
            switch part {
            case .node(.comparison(let lhs, _, let rhs, _, _)):
                terms += 1
                open.append((.operand(lhs), depth))
                open.append((.operand(rhs), depth))
            case .node(.constant), .node(.invalid): terms += 1
            case .node(.not(let inner)): open.append((.node(inner), depth + 1))
            case .node(.and(let members)), .node(.or(let members)):
                for member in members { open.append((.node(member), depth + 1)) }
            case .operand(let operand):
                let (operands, condition) = operand.parts
                terms += operand.isComputed ? 1 : 0
                for inner in operands { open.append((.operand(inner), depth + 1)) }
                if let condition { open.append((.node(condition), depth + 1)) }
            }
        }
        return (deepest, terms)
    }

    private enum Part {
        case node(PredicateTree.Node)
        case operand(PredicateTree.Expression)
    }
}
