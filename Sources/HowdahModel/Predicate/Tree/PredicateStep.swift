/// One level of a condition, prepared for many objects.
indirect enum PredicateStep {
    case constant(Bool)
    case not(PredicateStep)
    case and([PredicateStep])
    case or([PredicateStep])
    case comparison(PredicateComparison)

    init(_ node: PredicateTree.Node) throws(PredicateTreeError) {
        switch node {
        case .constant(let holds): self = .constant(holds)
        case .invalid(let error): throw error
        case .not(let inner): self = .not(try PredicateStep(inner))
        case .and(let members): self = .and(try Self.steps(members))
        case .or(let members): self = .or(try Self.steps(members))
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            self = .comparison(
                try PredicateComparison(lhs: lhs, op: op, rhs: rhs, options: options, modifier: modifier))
        }
    }

    private static func steps(_ nodes: [PredicateTree.Node]) throws(PredicateTreeError) -> [PredicateStep] {
        var steps: [PredicateStep] = []
        for node in nodes { steps.append(try PredicateStep(node)) }
        return steps
    }

    func holds(_ context: PredicateContext) throws(PredicateTreeError) -> Bool {
        switch self {
        case .constant(let holds): return holds
        case .not(let inner): return try !inner.holds(context)
        case .and(let members):
            for member in members where try !member.holds(context) { return false }
            return true
        case .or(let members):
            for member in members where try member.holds(context) { return true }
            return false
        case .comparison(let comparison): return try comparison.evaluate(context)
        }
    }
}
