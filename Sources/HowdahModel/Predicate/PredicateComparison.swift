/// One comparison, prepared for evaluation on many objects.
struct PredicateComparison {
    private let lhs: Side
    private let rhs: Side
    private let asWritten: PreparedComparison
    private let ofCaseInsensitive: CaseInsensitive?

    private enum Side {
        case keyPath([String])
        case evaluatedObject
        case values(PreparedComparison.Values)

        var constant: PreparedComparison.Values? {
            if case .values(let values) = self { values } else { nil }
        }
    }

    init(
        lhs: PredicateTree.Expression, op: PredicateTree.Operator, rhs: PredicateTree.Expression,
        options: PredicateTree.Options, modifier: PredicateTree.Modifier
    ) throws(PredicateTreeError) {
        guard !options.contains(.localeSensitive) else {
            throw PredicateTreeError(
                .unsupported, "[l] is not supported in memory; compare with [c], [d] or [cd].")
        }
        self.lhs = try Self.side(lhs)
        self.rhs = try Self.side(rhs)
        asWritten = try PreparedComparison(self.lhs.constant, op, self.rhs.constant, options, modifier)
        let others = options.ofCaseInsensitive(op)
        let (left, right) = (self.lhs.constant, self.rhs.constant)
        ofCaseInsensitive =
            others == options
            ? nil
            : CaseInsensitive { () throws(PredicateTreeError) in
                try PreparedComparison(left, op, right, others, modifier)
            }
    }

    private static func side(_ expression: PredicateTree.Expression) throws(PredicateTreeError) -> Side {
        switch expression {
        case .keyPath(let keys): return .keyPath(keys)
        case .evaluatedObject: return .evaluatedObject
        case .constant(let value): return .values(.one(value))
        case .collection(let values): return .values(.many(values))
        case .variable(let name):
            throw PredicateTreeError(
                .unboundVariable, "$\(name) has no value; use withSubstitutionVariables(_:).",
                token: "$\(name)")
        case .aggregate:
            throw PredicateTreeError(
                .unboundVariable,
                "A variable in a collection has no value; use withSubstitutionVariables(_:).")
        }
    }

    func evaluate(_ subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        let left = try Self.values(of: lhs, subject)
        let right = try Self.values(of: rhs, subject)
        if let ofCaseInsensitive, left.isCaseInsensitive || right.isCaseInsensitive {
            return try ofCaseInsensitive.comparison().holds(left.values, right.values)
        }
        return try asWritten.holds(left.values, right.values)
    }

    private static func values(
        of side: Side, _ subject: any PredicateSubject
    ) throws(PredicateTreeError) -> (values: PreparedComparison.Values?, isCaseInsensitive: Bool) {
        switch side {
        case .values: return (nil, false)
        case .evaluatedObject: return (.one(subject.predicateValue), false)
        case .keyPath(let keys):
            let (values, isCaseInsensitive) = try subject.predicateValues(at: keys)
            return (values, isCaseInsensitive)
        }
    }

    /// The comparison for attributes that are compared without regard to case, prepared when the first one is met: of a
    /// predicate alone nobody knows whether there are any.
    private final class CaseInsensitive {
        private let prepare: () throws(PredicateTreeError) -> PreparedComparison
        private var prepared: PreparedComparison?

        init(_ prepare: @escaping () throws(PredicateTreeError) -> PreparedComparison) {
            self.prepare = prepare
        }

        func comparison() throws(PredicateTreeError) -> PreparedComparison {
            if let prepared { return prepared }
            let prepared = try prepare()
            self.prepared = prepared
            return prepared
        }
    }
}
