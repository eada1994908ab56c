import Foundation

extension PredicateExpressions.SequenceContains: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let members = try scope.lower(sequence)
        switch members {
        case .constant: return .condition(try scope.lower(element).compared(.in, members))
        // An array attribute, nil or not.
        case .path, .choice, .computed:
            return .condition(try members.compared(.contains, try scope.lower(element)))
        case .condition: throw .unsupportedNode(self)
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        .condition(try Quantifier.any.lower(sequence, variable, test, in: &scope))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        .condition(try Quantifier.all.lower(sequence, variable, test, in: &scope))
    }
}

/// Members that satisfy a condition. Their existence and their number can be queried.
protocol FilteringNode {
    func lowerMembers(in scope: inout LoweringScope) throws(PredicateTreeError) -> PredicateTree.Expression
    func lowerExistence(in scope: inout LoweringScope) throws(PredicateTreeError) -> PredicateTree.Node
}

extension PredicateExpressions.Filter: FilteringNode {
    func lowerMembers(in scope: inout LoweringScope) throws(PredicateTreeError) -> PredicateTree.Expression {
        guard case .path(let keys) = try scope.lower(sequence) else { throw .unsupportedNode(self) }
        return try Quantifier.subquery(keys, variable, filter, in: scope)
    }

    func lowerExistence(in scope: inout LoweringScope) throws(PredicateTreeError) -> PredicateTree.Node {
        try Quantifier.any.lower(sequence, variable, filter, in: &scope)
    }
}
