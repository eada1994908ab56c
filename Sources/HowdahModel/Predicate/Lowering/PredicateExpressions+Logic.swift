import Foundation

extension PredicateExpressions.Conjunction: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.condition(lhs)
        return .condition(.both(left, try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.condition(lhs)
        return .condition(.either(left, try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        .condition(.opposite(try scope.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        switch try scope.condition(test) {
        case .constant(true): return try scope.lower(trueBranch)
        case .constant(false): return try scope.lower(falseBranch)
        case let test:
            let then = try scope.lower(trueBranch)
            return .choice(test, then, try scope.lower(falseBranch))
        }
    }
}
