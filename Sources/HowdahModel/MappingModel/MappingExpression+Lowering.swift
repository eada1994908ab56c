extension MappingExpression {
    /// The expression as an operand of predicates on the source object; nil where it asks for anything else.
    package var onSource: PredicateTree.Expression? { Self.onSource(root) }

    /// Likewise of an operand of a call.
    package static func onSource(_ expression: PredicateTree.Expression) -> PredicateTree.Expression? {
        let tree = PredicateTree(.comparison(lhs: expression, op: .equal, rhs: .constant(.null)))
        guard MappingExpression(unchecked: expression).calls.isEmpty,
            let bound = try? tree.substituting([Variable.source.rawValue: .evaluatedObject]),
            bound.variables.isEmpty, case .comparison(let operand, _, _, _, _) = bound.root
        else { return nil }
        return operand
    }

    /// What stands in the way of computing the expression for one object in memory; nil where nothing does.
    package var complaint: String? { Self.complaint(root) }

    private static func complaint(_ expression: PredicateTree.Expression) -> String? {
        switch expression.mappingCall {
        case .unknown(_, let selector, _)?:
            return
                "Unknown function '\(selector)' in a mapping expression. Implement the function in the entity's migration policy, and call it as FUNCTION($entityPolicy, '\(selector)', …)."
        case .destinationInstances(_, _, let operand)?: return complaint(operand)
        case .policy(_, let operands)?: return operands.lazy.compactMap(complaint).first
        case nil: break
        }
        var fault: String?
        let answered = expression.answering { call, _ in
            fault = fault ?? complaint(call)
            return .path(.variable(Variable.destination.rawValue), ["answer"])
        }
        if let fault { return fault }
        do throws(PredicateTreeError) {
            _ = try ExpressionEvaluator(answered)
            return nil
        } catch {
            return error.message
        }
    }
}
