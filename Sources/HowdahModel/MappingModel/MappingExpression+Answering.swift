extension PredicateTree.Expression {
    /// The same with answers in place of calls; what stands inside of a call is left to whoever answers.
    ///
    /// - Parameter answer: is told the call, and whether it stands where there may be several.
    package func answering(_ answer: (Self, _ isMany: Bool) throws -> Self) rethrows -> Self {
        try answering(isMany: false, answer)
    }

    private func answering(isMany: Bool, _ answer: (Self, Bool) throws -> Self) rethrows -> Self {
        switch self {
        case .call: return try answer(self, isMany)
        case .keyPath, .constant, .collection, .evaluatedObject, .variable: return self
        case .aggregate(let members): return .aggregate(try members.map { try $0.answering(answer) })
        case .function(let function, let operands):
            return .function(function, try operands.map { try $0.answering(answer) })
        case .cast(let operand, let type): return .cast(try operand.answering(answer), type)
        case .conditional(let test, let a, let b):
            return .conditional(
                try test.answering(answer), try a.answering(answer), try b.answering(answer))
        case .path(let base, let keys):
            let takesMany = keys.contains { PredicateTree.KeyPathOperator(rawValue: $0) != nil }
            return .joined(try base.answering(isMany: isMany || takesMany, answer), keys)
        case .subquery(let members, let variable, let condition):
            return .subquery(
                try members.answering(isMany: true, answer), variable: variable,
                try condition.answering(answer))
        case .element(let base, let position):
            return .element(try base.answering(isMany: true, answer), position)
        case .set(let op, let a, let b):
            return .set(op, try a.answering(isMany: true, answer), try b.answering(isMany: true, answer))
        }
    }
}

extension PredicateTree.Node {
    fileprivate func answering(
        _ answer: (PredicateTree.Expression, Bool) throws -> PredicateTree.Expression
    ) rethrows -> Self {
        switch self {
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            .comparison(
                lhs: try lhs.answering(answer), op: op, rhs: try rhs.answering(answer), options: options,
                modifier: modifier)
        case .and(let members): .and(try members.map { try $0.answering(answer) })
        case .or(let members): .or(try members.map { try $0.answering(answer) })
        case .not(let inner): .not(try inner.answering(answer))
        case .constant, .invalid: self
        }
    }
}
