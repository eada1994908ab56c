/// Junctions without redundant parts, so that a lowered tree reads like one written by hand.
extension PredicateTree.Node {
    static func both(_ a: Self, _ b: Self) -> Self {
        switch (a, b) {
        case (.constant(false), _), (_, .constant(false)): .constant(false)
        case (.constant(true), let other), (let other, .constant(true)): other
        case _ where a == b || b.implies(a): b
        case _ where a.implies(b): a
        default: .all([a, b])
        }
    }

    static func either(_ a: Self, _ b: Self) -> Self {
        switch (a, b) {
        case (.constant(true), _), (_, .constant(true)): .constant(true)
        case (.constant(false), let other), (let other, .constant(false)): other
        case _ where a == b: a
        default: .any([a, b])
        }
    }

    static func opposite(_ node: Self) -> Self {
        switch node {
        case .constant(let holds): .constant(!holds)
        case .not(let inner): inner
        case .comparison(let lhs, .equal, .constant(.null), let options, .direct):
            .comparison(lhs: lhs, op: .notEqual, rhs: .constant(.null), options: options)
        case .comparison(let lhs, .notEqual, .constant(.null), let options, .direct):
            .comparison(lhs: lhs, op: .equal, rhs: .constant(.null), options: options)
        default: .not(node)
        }
    }

    /// Returns a condition that is `then` if `test` is true, and `otherwise` if not.
    static func conditional(_ test: Self, _ then: Self, otherwise: Self) -> Self {
        .either(.both(test, then), .both(.opposite(test), otherwise))
    }

    static func isPresent(_ keys: [String]) -> Self {
        // Members are there.
        keys.isEmpty || keys.count == 1 && keys[0].hasPrefix("$") ? .constant(true) : isPresent(.path(keys))
    }

    static func isPresent(_ expression: PredicateTree.Expression) -> Self {
        .comparison(lhs: expression, op: .notEqual, rhs: .constant(.null))
    }

    /// Returns a Boolean value that indicates whether `other` follows from this condition.
    ///
    /// It does if it only requires an operand that is not nil. This condition must be false for nil.
    private func implies(_ other: Self) -> Bool {
        guard case .comparison(let lhs, .notEqual, .constant(.null), _, .direct) = other else {
            return false
        }
        return isFalse(whereNil: lhs)
    }

    /// Returns true if this is false for a nil operand.
    func isFalse(whereNil operand: PredicateTree.Expression) -> Bool {
        switch self {
        case .constant(let holds): return !holds
        case .and(let members): return members.contains { $0.isFalse(whereNil: operand) }
        case .or(let members): return members.allSatisfy { $0.isFalse(whereNil: operand) }
        case .not, .invalid: return false
        case .comparison(let lhs, let op, let rhs, _, let modifier):
            guard lhs.isNil(whereNil: operand) else { return false }
            // Behind a missing object there are no members for ANY.
            if modifier != .direct { return modifier == .any && lhs != operand }
            switch (op, rhs) {
            case (.notEqual, .constant(.null)): return true
            case (.notEqual, _), (.equal, .constant(.null)): return false
            case (.equal, .constant), (.between, _), (.lessThan, _), (.lessThanOrEqual, _),
                (.greaterThan, _), (.greaterThanOrEqual, _), (.contains, .constant),
                (.beginsWith, .constant), (.in, .constant):
                return true
            case (.in, .collection(let values)): return !values.contains(.null)
            default: return false
            }
        }
    }
}

extension PredicateTree.Expression {
    /// Returns true if this is nil whenever another operand is.
    ///
    /// It is if its key path goes through the other operand, or if it is computed from it.
    fileprivate func isNil(whereNil other: Self) -> Bool {
        if self == other { return true }
        if let path = pathKeys, let keys = other.pathKeys { return path.starts(with: keys) }
        return switch self {
        case .function(let function, let operands) where !function.isAggregate:
            operands.contains { $0.isNil(whereNil: other) }
        case .cast(let operand, _): operand.isNil(whereNil: other)
        default: false
        }
    }
}
