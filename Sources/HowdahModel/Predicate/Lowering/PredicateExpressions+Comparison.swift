import Foundation

extension PredicateExpressions.Equal: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return .condition(try left.compared(.equal, try scope.lower(rhs)))
    }
}

extension PredicateExpressions.NotEqual: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return .condition(try left.compared(.notEqual, try scope.lower(rhs)))
    }
}

extension PredicateExpressions.Comparison: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let comparison: PredicateTree.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            @unknown default: throw .unsupportedNode(self)
            }
        let left = try scope.lower(lhs)
        return .condition(try left.compared(comparison, try scope.lower(rhs)))
    }
}

extension PredicateExpressions.CollectionContainsCollection: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        guard Base.Output.self is any StringProtocol.Type else { throw .unsupportedNode(self) }
        let whole = try scope.lower(base)
        return .condition(try whole.compared(.contains, try scope.lower(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        guard Base.Output.self is any StringProtocol.Type else { throw .unsupportedNode(self) }
        let whole = try scope.lower(base)
        return .condition(try whole.compared(.beginsWith, try scope.lower(prefix)))
    }
}
