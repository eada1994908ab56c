internal import Foundation

extension PredicateOperandStep {
    /// Returns 0 as the operand's kind of number; nil if the kind is unknown.
    ///
    /// The database knows the kind from the types of columns, even if all values are nil.
    func zero(_ context: PredicateContext) throws(PredicateTreeError) -> Value? {
        switch self {
        case .constant(.one(let value)): return value.zero
        case .constant(.many(let values)): return values.lazy.compactMap(\.zero).first
        case .constant, .evaluatedObject, .variable, .subquery: return nil
        case .keyPath, .path: return try outcome(context).origin?.zero(at: [])
        case .element(let base, _): return try base.zero(context)
        case .set(_, let a, let b), .conditional(_, let a, let b): return try Self.first([a, b], context)
        case .aggregate(let members): return try Self.first(members, context)
        case .cast(_, .decimal): return .decimal(0)
        case .cast(let operand, .number): return try operand.zero(context) ?? .double(0)
        case .cast: return nil
        case .function(let function, let operands): return try zero(function, operands, context)
        }
    }

    private func zero(
        _ function: PredicateTree.Function, _ operands: [PredicateOperandStep], _ context: PredicateContext
    ) throws(PredicateTreeError) -> Value? {
        switch function {
        case .count, .length, .modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift,
            .onesComplement:
            return .int(0)
        case .squareRoot, .naturalLogarithm, .logarithm, .exponential, .power: return .double(0)
        case .average:
            let zero = try Self.first(operands, context)
            return zero == .int(0) ? .double(0) : zero
        default:
            var best: PredicateNumber?
            for operand in operands {
                guard let zero = try operand.zero(context).flatMap(PredicateNumber.init) else { continue }
                if best.map({ $0.rank < zero.rank }) ?? true { best = zero }
            }
            return best?.value
        }
    }

    private static func first(
        _ operands: [PredicateOperandStep], _ context: PredicateContext
    ) throws(PredicateTreeError) -> Value? {
        for operand in operands {
            if let zero = try operand.zero(context) { return zero }
        }
        return nil
    }
}

extension Value {
    /// The value 0 as the kind of number that functions see. It is nil for other values.
    fileprivate var zero: Value? {
        switch PredicateNumber(self) {
        case .int: .int(0)
        case .decimal: .decimal(0)
        case .double: .double(0)
        case nil: nil
        }
    }
}
