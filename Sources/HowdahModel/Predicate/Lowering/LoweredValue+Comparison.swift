extension LoweredValue {
    /// Returns the value as an optional Boolean.
    func truth() throws(PredicateTreeError) -> Truth {
        switch self {
        case .condition(let truth): return truth
        case .path, .computed:
            let path = try operand()
            return Truth(
                holds: .comparison(lhs: path, op: .equal, rhs: .constant(.bool(true))),
                isNil: .comparison(lhs: path, op: .equal, rhs: .constant(.null)))
        case .constant:
            let flag: Bool? = captured()
            return Truth(holds: .constant(flag ?? false), isNil: .constant(flag == nil))
        case .choice(let test, let then, let otherwise):
            let (a, b) = (try then.truth(), try otherwise.truth())
            return Truth(
                holds: .conditional(test, a.holds, otherwise: b.holds),
                isNil: .conditional(test, a.isNil, otherwise: b.isNil))
        }
    }

    /// Returns the condition that this and another value satisfy the operator.
    func compared(
        _ op: PredicateTree.Operator, _ other: LoweredValue
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        switch (self, other) {
        case (.choice(let test, let a, let b), _):
            return .conditional(test, try a.compared(op, other), otherwise: try b.compared(op, other))
        case (_, .choice(let test, let a, let b)):
            return .conditional(test, try compared(op, a), otherwise: try compared(op, b))
        case (.condition, _), (_, .condition):
            return try Self.sameTruth(try truth(), op, try other.truth())
        case (.constant(let value), .path), (.constant(let value), .computed):
            let constant = try Self.operand(value).asArray(for: op)
            guard let mirrored = Self.mirrored(op) else {
                return try Self.comparison(constant, op, try other.operand())
            }
            return try Self.comparison(try other.operand(), mirrored, constant)
        case (_, .constant(let value)) where !isConstant:
            return try Self.comparison(try operand(), op, try Self.operand(value).asArray(for: op))
        case (.constant(let a), .constant(let b)):
            let node = try Self.comparison(try Self.operand(a), op, try Self.operand(b))
            return .constant(try PredicateEvaluator(PredicateTree(node)).evaluate(NoSubject()))
        default: return try Self.comparison(try operand(), op, try other.operand())
        }
    }

    private var isConstant: Bool { if case .constant = self { true } else { false } }

    /// Returns the value as an operand.
    func operand() throws(PredicateTreeError) -> PredicateTree.Expression {
        switch self {
        case .path(let keys): return .path(keys)
        case .computed(let expression): return expression
        case .constant(let value): return try Self.operand(value)
        case .choice(let test, let a, let b):
            return .conditional(test, try a.operand(), try b.operand())
        case .condition(let truth):
            return .conditional(truth.holds, .constant(.bool(true)), .constant(.bool(false)))
        }
    }

    private static func sameTruth(
        _ a: Truth, _ op: PredicateTree.Operator, _ b: Truth
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        let same = PredicateTree.Node.either(
            .either(.both(a.holds, b.holds), .both(a.fails, b.fails)), .both(a.isNil, b.isNil))
        switch op {
        case .equal: return same
        case .notEqual: return .opposite(same)
        default:
            throw PredicateTreeError(
                .invalidOperand, "Conditions cannot be compared with \(op.rawValue). Use == or !=.")
        }
    }

    static func operand(_ value: Any) throws(PredicateTreeError) -> PredicateTree.Expression {
        guard let operand = PredicateTree.Expression(argument: value) else {
            throw PredicateTreeError(
                .argumentType,
                "The #Predicate compares a variable of type \(type(of: value)), which the database does not "
                    + "have. Compare a property or the raw value of the variable."
            )
        }
        if case .collection(let members) = operand, members.count > PredicateTree.Limit.members {
            throw PredicateTreeError(
                .tooLarge,
                "A collection in the #Predicate has more than \(PredicateTree.Limit.members) members. Split "
                    + "the collection, and fetch once for each part.")
        }
        return operand
    }

    private static func comparison(
        _ lhs: PredicateTree.Expression, _ op: PredicateTree.Operator, _ rhs: PredicateTree.Expression
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        if let complaint = PredicateTree.complaint(lhs: lhs, op: op, rhs: rhs, modifier: .direct) {
            throw PredicateTreeError(.invalidOperand, complaint)
        }
        return .comparison(lhs: lhs, op: op, rhs: rhs)
    }

    /// Returns the operator between the sides exchanged; nil if it does not exist.
    private static func mirrored(_ op: PredicateTree.Operator) -> PredicateTree.Operator? {
        switch op {
        case .equal, .notEqual: op
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        case .contains: .in
        default: nil
        }
    }

    /// The object of comparisons between constants.
    private struct NoSubject: PredicateSubject {
        var predicateIdentity: ObjectReference? { nil }
        func predicateOperand(forKey key: String) -> PredicateOperand? { nil }
    }
}
