internal import Foundation

/// One operand, prepared for many objects.
indirect enum PredicateOperandStep {
    case constant(PreparedComparison.Values)
    case keyPath([String])
    case evaluatedObject
    case variable(String)
    case aggregate([PredicateOperandStep])
    case function(PredicateTree.Function, [PredicateOperandStep])
    case cast(PredicateOperandStep, PredicateTree.Cast)
    case conditional(PredicateStep, PredicateOperandStep, PredicateOperandStep)
    case path(PredicateOperandStep, [String])
    case subquery(PredicateOperandStep, variable: String, PredicateStep)
    case element(PredicateOperandStep, PredicateTree.Position)
    case set(PredicateTree.SetOperator, PredicateOperandStep, PredicateOperandStep)

    /// The result of an operand on one object.
    struct Outcome {
        var values: PreparedComparison.Values
        var isCaseInsensitive = false
        /// The objects, if it leads to objects.
        var objects: [any PredicateSubject] = []
        /// The beginning of the operand, for the model's description of it.
        var origin: PredicateOrigin?
    }

    init(_ expression: PredicateTree.Expression) throws(PredicateTreeError) {
        switch expression {
        case .keyPath(let keys): self = .keyPath(keys)
        case .evaluatedObject: self = .evaluatedObject
        case .constant(let value): self = .constant(.one(value))
        case .collection(let values): self = .constant(.many(values))
        case .variable(let name): self = .variable(name)
        case .aggregate(let members): self = .aggregate(try Self.steps(members))
        case .function(.now, _): self = .constant(.one(Value.date(Date()).normalized))
        case .function(.noIndex, let operands) where operands.count == 1: self = try Self(operands[0])
        case .function(let function, let operands):
            let operands = try Self.steps(operands)
            let step = PredicateOperandStep.function(function, operands)
            // The same for all objects.
            self = operands.allSatisfy { $0.constant != nil } ? .constant(try step.constantOutcome()) : step
        case .cast(let operand, let type):
            let operand = try Self(operand)
            let step = PredicateOperandStep.cast(operand, type)
            self = operand.constant != nil ? .constant(try step.constantOutcome()) : step
        case .conditional(let test, let a, let b):
            self = .conditional(try PredicateStep(test), try Self(a), try Self(b))
        case .path(let base, let keys): self = .path(try Self(base), keys)
        case .subquery(let members, let variable, let condition):
            self = .subquery(try Self(members), variable: variable, try PredicateStep(condition))
        case .element(let base, let position): self = .element(try Self(base), position)
        case .set(let op, let a, let b): self = .set(op, try Self(a), try Self(b))
        case .call(_, let selector, _): throw .callOutsideMappingModel(selector)
        }
    }

    private static func steps(
        _ expressions: [PredicateTree.Expression]
    ) throws(PredicateTreeError) -> [PredicateOperandStep] {
        var steps: [PredicateOperandStep] = []
        for expression in expressions { steps.append(try PredicateOperandStep(expression)) }
        return steps
    }

    /// The result on every object; nil if it depends on the object.
    var constant: PreparedComparison.Values? { if case .constant(let values) = self { values } else { nil } }

    private func constantOutcome() throws(PredicateTreeError) -> PreparedComparison.Values {
        try outcome(PredicateContext(subject: JSONDocument.null)).values
    }
}

extension PredicateTree.Expression {
    /// Returns the value of a function, or a cast, of constants; nil for other operands.
    ///
    /// - Throws: `argumentType` if the function cannot take the constants.
    package func constantValue() throws(PredicateTreeError) -> Value? {
        switch self {
        case .constant(let value): return value
        case .function, .cast:
            guard isConstant, case .one(let value)? = try PredicateOperandStep(self).constant else {
                return nil
            }
            return value
        default: return nil
        }
    }

    private var isConstant: Bool {
        switch self {
        case .constant, .collection: true
        case .function(_, let operands): operands.allSatisfy(\.isConstant)
        case .cast(let operand, _): operand.isConstant
        default: false
        }
    }
}
