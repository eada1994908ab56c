import Foundation
import HowdahModel
import HowdahRuntime

/// A possible fault of a number for an attribute, as a condition on the source object.
struct ValueFault: Sendable {
    /// The fault of the expression, and the remedy.
    let words: (fault: String, remedy: String)
    let condition: PredicateTree.Node

    /// Returns the message if the condition is true.
    ///
    /// - Parameter examples: The objects, or some of them.
    func message(_ place: String, _ expression: MappingExpression, _ examples: String) -> String {
        "\(place): \(expression) \(words.fault): \(examples). \(words.remedy)."
    }

    /// Returns the possible faults of a column's value.
    static func all(
        of expression: PredicateTree.Expression, _ column: ResolvedColumn, for type: AttributeType
    ) -> [Self] {
        guard let rank = column.numberRank else { return [] }
        var faults = [overflow(expression)].compactMap(\.self)
        switch type.kind {
        case .integer16, .integer32, .integer64:
            if rank > 0, !expression.isRounded { faults.append(fraction(expression)) }
            let fits =
                column.type == .int2 || column.type == .boolean
                || column.type == .int4 && type != .integer16 || rank == 0 && type == .integer64
            if !fits { faults += [range(expression, of: type)].compactMap(\.self) }
        case .float:
            if rank > 0, column.type != .float4 { faults += [range(expression, of: type)].compactMap(\.self) }
        default: break
        }
        return faults
    }

    /// Returns the fault of a value that an attribute does not accept; nil if one of them is not numeric.
    static func of(
        _ value: Value, _ expression: PredicateTree.Expression, for type: AttributeType
    ) -> Self? {
        switch (type.kind, value) {
        case (.integer16, .double(let number)), (.integer32, .double(let number)),
            (.integer64, .double(let number)):
            let isWhole = !number.isFinite || number.rounded(.towardZero) == number
            return isWhole ? range(expression, of: type) : fraction(expression)
        case (.integer16, .decimal(var number)), (.integer32, .decimal(var number)),
            (.integer64, .decimal(var number)):
            var rounded = Decimal()
            NSDecimalRound(&rounded, &number, 0, .plain)
            return rounded == number ? range(expression, of: type) : fraction(expression)
        case (.integer16, .int), (.integer32, .int), (.float, .double), (.float, .decimal):
            return range(expression, of: type)
        default: return nil
        }
    }

    /// Returns the fault of a number beyond the range of all numbers; nil if the expression has none.
    static func overflow(_ expression: PredicateTree.Expression) -> Self? {
        expression.overflow.map {
            Self(
                words: (
                    "evaluates to a number that is too large to compute",
                    "Use TERNARY to handle such objects, or correct their values before the migration"
                ), condition: $0)
        }
    }

    /// Returns the fault of a fraction for an integer.
    static func fraction(_ expression: PredicateTree.Expression) -> Self {
        Self(
            words: (
                "evaluates to a fraction, which the attribute cannot hold",
                "Round the number with trunc:, floor: or ceiling:"
            ),
            condition: .comparison(
                lhs: expression, op: .notEqual, rhs: .function(.truncate, [expression])))
    }

    /// Returns the fault of a number beyond the type's range; nil if the type has all numbers.
    static func range(_ expression: PredicateTree.Expression, of type: AttributeType) -> Self? {
        func compared(_ op: PredicateTree.Operator, _ value: Value) -> PredicateTree.Node {
            .comparison(lhs: expression, op: op, rhs: .constant(value))
        }
        func outside(_ lowest: Int64, _ highest: Int64) -> PredicateTree.Node {
            .any([compared(.greaterThan, .int(highest)), compared(.lessThan, .int(lowest))])
        }
        let condition: PredicateTree.Node
        switch type.kind {
        case .integer16: condition = outside(Int64(Int16.min), Int64(Int16.max))
        case .integer32: condition = outside(Int64(Int32.min), Int64(Int32.max))
        case .integer64: condition = outside(.min, .max)
        case .float:
            let highest = Double(Float.greatestFiniteMagnitude)
            // What would be rounded to 0 is refused by the server, too.
            let lowest = Double(Float.leastNonzeroMagnitude) / 2
            condition = .any([
                .all([compared(.greaterThan, .double(highest)), compared(.lessThan, .double(.infinity))]),
                .all([compared(.lessThan, .double(-highest)), compared(.greaterThan, .double(-.infinity))]),
                .all([
                    compared(.notEqual, .int(0)), compared(.lessThanOrEqual, .double(lowest)),
                    compared(.greaterThanOrEqual, .double(-lowest)),
                ]),
            ])
        default: return nil
        }
        return Self(
            words: (
                "evaluates to a number outside the range of \(type.name), which the attribute cannot hold",
                "Give the attribute a wider type, or use TERNARY to handle such objects"
            ), condition: condition)
    }
}

extension PredicateTree.Expression {
    /// The condition that a number in it is beyond the computable range: it is nil, and its operands are not.
    ///
    /// An undefined value is nil without a complaint: a division by zero, the root or logarithm of a number
    /// that has none.
    fileprivate var overflow: PredicateTree.Node? {
        switch self {
        case .function(let function, let operands):
            guard function.canOverflow else { return Self.any(operands) }
            var parts: [PredicateTree.Node] = [isNil]
            var leaves: [PredicateTree.Expression] = []
            guard collect(&leaves, &parts) else { return Self.any(operands) }
            if leaves.isEmpty { return nil }
            for leaf in leaves { parts.append(.not(leaf.isNil)) }
            return .any([.all(parts)] + leaves.compactMap(\.overflow))
        case .cast(let inner, _): return inner.overflow
        case .conditional(let test, let a, let b):
            let branches = [
                a.overflow.map { PredicateTree.Node.all([test, $0]) },
                b.overflow.map { PredicateTree.Node.all([.not(test), $0]) },
            ].compactMap(\.self)
            return branches.isEmpty ? nil : .any(branches)
        case .keyPath(let keys): return sum(keys) { $0.isEmpty ? nil : .keyPath($0) }
        case .path(.variable(let name), let keys):
            return sum(keys) { $0.isEmpty ? nil : .path(.variable(name), $0) }
        default: return nil
        }
    }

    private static func any(_ operands: [Self]) -> PredicateTree.Node? {
        let parts = operands.compactMap(\.overflow)
        return parts.isEmpty ? nil : .any(parts)
    }

    private var isNil: PredicateTree.Node { .comparison(lhs: self, op: .equal, rhs: .constant(.null)) }

    /// Returns the condition for a sum of members: it is nil only after a nil relationship, and if it is too
    /// large.
    private func sum(_ keys: [String], _ owner: ([String]) -> Self?) -> PredicateTree.Node? {
        guard let place = keys.firstIndex(of: PredicateTree.KeyPathOperator.sum.rawValue), place > 0 else {
            return nil
        }
        let reached = owner(Array(keys[..<(place - 1)]))
        return .all([isNil] + (reached.map { [.not($0.isNil)] } ?? []))
    }

    /// Collects the operands of a computation, and the conditions on which it is defined; false if it is not.
    private func collect(_ leaves: inout [Self], _ conditions: inout [PredicateTree.Node]) -> Bool {
        guard case .function(let function, let operands) = self, function.canOverflow else {
            if case .constant(let value) = self { return !value.isNull }
            leaves.append(self)
            return true
        }
        if function == .divide || function == .modulus {
            if case .constant(let divisor) = operands[1] {
                if divisor.isZero { return false }
            } else {
                conditions.append(.comparison(lhs: operands[1], op: .notEqual, rhs: .constant(.int(0))))
            }
        }
        if function == .power {
            conditions.append(.comparison(lhs: operands[0], op: .notEqual, rhs: .constant(.int(0))))
            conditions.append(
                .any([
                    .comparison(lhs: operands[0], op: .greaterThan, rhs: .constant(.int(0))),
                    .comparison(
                        lhs: operands[1], op: .equal, rhs: .function(.truncate, [operands[1]])),
                ]))
        }
        return operands.allSatisfy { $0.collect(&leaves, &conditions) }
    }
}

extension PredicateTree.Function {
    /// A Boolean value that indicates whether its result may be beyond the computable range.
    fileprivate var canOverflow: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .power, .negate, .bitwiseAnd, .bitwiseOr,
            .bitwiseXor, .leftShift, .rightShift, .onesComplement, .exponential, .floor, .ceiling, .absolute,
            .truncate:
            true
        default: false
        }
    }
}

extension Value {
    fileprivate var isZero: Bool {
        switch self {
        case .int(let number): number == 0
        case .double(let number): number == 0
        case .decimal(let number): number == 0
        default: false
        }
    }
}
