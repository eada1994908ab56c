internal import Foundation

/// The functions on values in memory; the database computes the same.
///
/// The result is nil if an operand is nil. It is also nil for division by zero, overflow, the root of a
/// negative number, and arithmetic on infinities and NaN.
enum PredicateFunction {
    /// Returns the result of a function.
    ///
    /// - Throws: `argumentType` if an operand has a type that the function cannot take.
    static func value(
        _ function: PredicateTree.Function, _ operands: [Value]
    ) throws(PredicateTreeError) -> Value {
        guard !operands.contains(where: \.isNull) else { return .null }
        switch function {
        case .uppercase, .lowercase, .canonical, .length: return try text(function, operands[0])
        default: break
        }
        var numbers: [PredicateNumber] = []
        for operand in operands {
            guard let number = PredicateNumber(operand) else {
                throw PredicateTreeError(
                    .argumentType,
                    "\(function.symbol ?? function.rawValue) needs numbers. Convert a date with CAST(date, "
                        + "'NSNumber')."
                )
            }
            numbers.append(number)
        }
        if numbers.count == 2 { return try binary(function, numbers[0], numbers[1])?.value ?? .null }
        return try unary(function, numbers[0])?.value ?? .null
    }

    private static func text(
        _ function: PredicateTree.Function, _ operand: Value
    ) throws(PredicateTreeError) -> Value {
        let text: String
        switch operand {
        case .string(let string): text = string
        case .uri(let url): text = url.absoluteString
        default:
            throw PredicateTreeError(
                .argumentType,
                "\(function.rawValue) needs a string. Use a string.")
        }
        return switch function {
        case .uppercase: .string(text.uppercased().howdahNormalized)
        case .lowercase: .string(text.lowercasedInContext.howdahNormalized)
        case .canonical: .string(Folding.folded(text, [.caseInsensitive, .diacriticInsensitive]))
        default: .int(Int64(text.unicodeScalars.count))
        }
    }

    private static func binary(
        _ function: PredicateTree.Function, _ a: PredicateNumber, _ b: PredicateNumber
    ) throws(PredicateTreeError) -> PredicateNumber? {
        switch (function, a, b) {
        case (.power, _, _): return power(a.asDouble, b.asDouble).map(PredicateNumber.double)
        case (.add, .int(let a), .int(let b)): return exact(a.addingReportingOverflow(b))
        case (.subtract, .int(let a), .int(let b)): return exact(a.subtractingReportingOverflow(b))
        case (.multiply, .int(let a), .int(let b)): return exact(a.multipliedReportingOverflow(by: b))
        case (.divide, .int(let a), .int(let b)): return exact(a.dividedReportingOverflow(by: b))
        case (.modulus, .int(let a), .int(let b)):
            return b == 0 ? nil : .int(a.remainderReportingOverflow(dividingBy: b).partialValue)
        case (.bitwiseAnd, .int(let a), .int(let b)): return .int(a & b)
        case (.bitwiseOr, .int(let a), .int(let b)): return .int(a | b)
        case (.bitwiseXor, .int(let a), .int(let b)): return .int(a ^ b)
        case (.leftShift, .int(let a), .int(let b)): return (0...63).contains(b) ? .int(a << b) : nil
        case (.rightShift, .int(let a), .int(let b)): return (0...63).contains(b) ? .int(a >> b) : nil
        case (.modulus, _, _), (.bitwiseAnd, _, _), (.bitwiseOr, _, _), (.bitwiseXor, _, _),
            (.leftShift, _, _), (.rightShift, _, _):
            throw needsIntegers(function)
        default: break
        }
        if max(a.rank, b.rank) == 2 {
            return double(function, a.asDouble, b.asDouble).map(PredicateNumber.double)
        }
        return decimal(function, a.asDecimal, b.asDecimal).map(PredicateNumber.decimal)
    }

    private static func exact(_ result: (partialValue: Int64, overflow: Bool)) -> PredicateNumber? {
        result.overflow ? nil : .int(result.partialValue)
    }

    private static func double(_ function: PredicateTree.Function, _ a: Double, _ b: Double) -> Double? {
        let factors = PredicateNumber.factorLimits
        switch function {
        case .add, .subtract:
            let limit = PredicateNumber.additionLimit
            guard a.magnitude <= limit, b.magnitude <= limit else { return nil }
            return function == .add ? a + b : a - b
        case .multiply:
            guard a == 0 || factors.contains(a.magnitude), b == 0 || factors.contains(b.magnitude) else {
                return nil
            }
            return a * b
        default:
            guard a == 0 || factors.contains(a.magnitude), factors.contains(b.magnitude) else { return nil }
            return a / b
        }
    }

    private static func decimal(_ function: PredicateTree.Function, _ a: Decimal, _ b: Decimal) -> Decimal? {
        switch function {
        case .add: ExactDecimal.sum(a, b)
        case .subtract: ExactDecimal.sum(a, -b)
        case .multiply: ExactDecimal.product(a, b)
        default: ExactDecimal.quotient(a, b)
        }
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double? {
        guard base.isFinite, exponent.isFinite else { return nil }
        if exponent == 0 { return 1 }
        if base == 0 { return exponent > 0 ? 0 : nil }
        if base < 0, exponent != exponent.rounded(.down) { return nil }
        guard log(base.magnitude).magnitude <= 700 / max(exponent.magnitude, 1) else { return nil }
        return pow(base, exponent)
    }

    private static func unary(
        _ function: PredicateTree.Function, _ number: PredicateNumber
    ) throws(PredicateTreeError) -> PredicateNumber? {
        switch function {
        case .negate, .absolute, .floor, .ceiling, .truncate: return rounded(function, number)
        case .onesComplement:
            guard case .int(let integer) = number else { throw needsIntegers(function) }
            return .int(~integer)
        default: break
        }
        let operand = number.asDouble
        guard operand.isFinite else { return nil }
        switch function {
        case .squareRoot: return operand < 0 ? nil : .double(operand.squareRoot())
        case .naturalLogarithm: return operand > 0 ? .double(log(operand)) : nil
        case .logarithm: return operand > 0 ? .double(log10(operand)) : nil
        case .exponential: return operand.magnitude <= 700 ? .double(exp(operand)) : nil
        default:
            throw PredicateTreeError(
                .unsupported,
                "\(function.rawValue) needs a collection, but was given a single number. Pass several numbers, such as {1, 2}, or a key path of a to-many relationship."
            )
        }
    }

    private static func rounded(
        _ function: PredicateTree.Function, _ number: PredicateNumber
    ) -> PredicateNumber? {
        switch (number, function) {
        case (.int(let integer), .negate): integer == .min ? nil : .int(-integer)
        case (.int(let integer), .absolute): integer == .min ? nil : .int(abs(integer))
        case (.int, _): number
        case (.double(let double), .negate): .double(-double)
        case (.double(let double), .absolute): .double(double.magnitude)
        case (.double(let double), .floor): .double(double.rounded(.down))
        case (.double(let double), .ceiling): .double(double.rounded(.up))
        case (.double(let double), _): .double(double.rounded(.towardZero))
        case (.decimal(let decimal), _) where decimal.isNaN: number
        case (.decimal(let decimal), .negate): .decimal(-decimal)
        case (.decimal(let decimal), .absolute): .decimal(decimal.magnitude)
        case (.decimal(let decimal), _): .decimal(ExactDecimal.rounded(decimal, function))
        }
    }

    private static func needsIntegers(_ function: PredicateTree.Function) -> PredicateTreeError {
        PredicateTreeError(
            .argumentType,
            "\(function.symbol ?? function.rawValue) needs integers. Use only integers.")
    }
}

extension String {
    /// The text in lower case. If a sigma ends a word, it is a final one, as in ICU.
    fileprivate var lowercasedInContext: String {
        guard unicodeScalars.contains("\u{3A3}") else { return lowercased() }
        let scalars = Array(unicodeScalars)
        var result = ""
        for (place, scalar) in scalars.enumerated() {
            guard scalar == "\u{3A3}" else {
                result += scalar.properties.lowercaseMapping
                continue
            }
            let before = scalars[..<place].last { !$0.properties.isCaseIgnorable }
            let after = scalars[(place + 1)...].first { !$0.properties.isCaseIgnorable }
            let isFinal = before?.properties.isCased ?? false && !(after?.properties.isCased ?? false)
            result.unicodeScalars.append(isFinal ? "\u{3C2}" : "\u{3C3}")
        }
        return result
    }
}
