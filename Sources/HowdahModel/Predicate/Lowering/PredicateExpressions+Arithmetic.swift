import Foundation

extension PredicateExpressions.Arithmetic: LowerableNode {
    /// Lowers the arithmetic. If it overflows, Swift would stop, but the result is nil.
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let function: PredicateTree.Function =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw .unsupportedNode(self)
            }
        let left = try scope.lower(lhs)
        return try LoweredValue.computed(function, [left, try scope.lower(rhs)])
    }
}

extension PredicateExpressions.IntDivision: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return try LoweredValue.computed(.divide, [left, try scope.lower(rhs)])
    }
}

extension PredicateExpressions.IntRemainder: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return try LoweredValue.computed(.modulus, [left, try scope.lower(rhs)])
    }
}

extension PredicateExpressions.FloatDivision: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let left = try scope.lower(lhs)
        return try LoweredValue.computed(.divide, [left, try scope.lower(rhs)])
    }
}

extension PredicateExpressions.UnaryMinus: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        try LoweredValue.computed(.negate, [try scope.lower(wrapped)])
    }
}

extension LoweredValue {
    /// Returns the result of a function. If an operand is a choice, the result is a choice too.
    static func computed(
        _ function: PredicateTree.Function, _ operands: [LoweredValue]
    ) throws(PredicateTreeError) -> LoweredValue {
        for (place, operand) in operands.enumerated() {
            guard case .choice(let test, let a, let b) = operand else { continue }
            var (first, second) = (operands, operands)
            (first[place], second[place]) = (a, b)
            return .choice(test, try computed(function, first), try computed(function, second))
        }
        var expressions: [PredicateTree.Expression] = []
        for operand in operands { expressions.append(try operand.operand()) }
        let expression = PredicateTree.Expression.function(function, expressions)
        if let value = try expression.constantValue() { return .constant(value) }
        return .computed(expression)
    }
}
