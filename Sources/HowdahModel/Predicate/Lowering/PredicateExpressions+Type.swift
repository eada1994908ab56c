import Foundation

extension PredicateExpressions.TypeCheck: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        guard let entity = Desired.self as? any PredicateEntity.Type,
            case .path(let keys) = try scope.lower(input)
        else { throw .unsupportedNode(self) }
        return .condition(
            .comparison(
                lhs: .lineage(of: keys.isEmpty ? .evaluatedObject : .path(keys)), op: .contains,
                rhs: .constant(.string(entity.predicateEntityName))))
    }
}
