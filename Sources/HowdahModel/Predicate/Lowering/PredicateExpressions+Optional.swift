import Foundation

extension PredicateExpressions.OptionalFlatMap: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        try lower(from: try scope.lower(wrapped), in: &scope)
    }

    private func lower(
        from base: LoweredValue, in scope: inout LoweringScope
    ) throws(PredicateTreeError) -> LoweredValue {
        let presence: PredicateTree.Node
        switch base {
        case .choice(let test, let a, let b):
            let then = try lower(from: a, in: &scope)
            return .choice(test, then, try lower(from: b, in: &scope))
        case .constant:
            guard base.captured(as: Wrapped.self) != nil else { return .null }
            presence = .constant(true)
        case .path(let keys): presence = .isPresent(keys)
        case .computed(let expression): presence = .isPresent(expression)
        case .condition(let truth): presence = .opposite(truth.isNil)
        }
        scope.bind(variable, to: base)
        let inner = try scope.lower(transform)
        switch (base, inner) {
        // What lies behind something that is nil is nil by itself.
        case (.path(let keys), .path(let others)) where others.starts(with: keys): return inner
        case (_, .condition(let truth)):
            return .condition(
                LoweredValue.Truth(
                    holds: .both(presence, truth.holds), isNil: .either(.opposite(presence), truth.isNil)))
        default: return .choice(presence, inner, .null)
        }
    }
}

extension PredicateExpressions.NilCoalesce: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return try Self.coalesce(left, try scope.lower(rhs))
    }

    private static func coalesce(
        _ left: LoweredValue, _ right: LoweredValue
    ) throws(PredicateTreeError) -> LoweredValue {
        switch left {
        case .constant: return left.captured(as: RHS.Output.self) == nil ? right : left
        case .path(let keys): return .choice(.isPresent(keys), left, right)
        case .computed(let expression): return .choice(.isPresent(expression), left, right)
        case .choice(let test, let a, let b):
            return .choice(test, try coalesce(a, right), try coalesce(b, right))
        case .condition(let truth):
            let fallback = try right.truth()
            return .condition(
                LoweredValue.Truth(
                    holds: .either(truth.holds, .both(truth.isNil, fallback.holds)),
                    isNil: .both(truth.isNil, fallback.isNil)))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: LowerableNode {
    /// Returns the value itself. If it is nil, Swift would stop, but a comparison with it is false.
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        try scope.lower(inner)
    }
}
