import Foundation

extension PredicateParser {
    /// Parses the current number literal.
    mutating func number(isNegative: Bool) throws(PredicateTreeError) -> Value {
        guard case .number(let digits) = token.kind else {
            throw error(.syntax, "Expected a number. Add a number.")
        }
        guard let value = Value(digits: digits, isNegative: isNegative) else {
            throw error(.syntax, Self.complaint(about: digits))
        }
        try advance()
        return value
    }

    /// The reason that the text of a number has no value, and what to do.
    private static func complaint(about text: String) -> String {
        let bases: [String: Int] = ["0x": 16, "0o": 8, "0b": 2]
        let number = "The number \(text.prefix(40))"
        if let base = bases[text.prefix(2).lowercased()] {
            let digits = text.dropFirst(2)
            if digits.isEmpty { return "\(number) has no digits. Add the digits." }
            if digits.contains(where: { ($0.hexDigitValue ?? base) >= base }) {
                return "\(number) has digits that are not of base \(base). Correct the digits."
            }
        }
        return bases[text.prefix(2).lowercased()] == nil
            ? "\(number) is larger than a Double can be. Use a smaller number."
            : "\(number) does not fit in 64 bits with a sign. Write the number with decimal digits."
    }

    /// Parses `CAST(operand, 'type')`. A literal inside becomes a value of a type without literals.
    mutating func cast() throws(PredicateTreeError) -> PredicateTree.Expression {
        let start = token
        try nest()
        try advance()
        try expect("(", "CAST needs parentheses. Write #CAST for a key of that name.")
        let operand = try operand()
        try expect(",", "Expected a comma and a type in CAST. Write CAST(operand, 'type').")
        let cast = try castType(of: operand, start)
        try expect(")", "CAST has no closing parenthesis. Add ).")
        unnest()
        return cast
    }

    /// Parses the current quoted type and applies it to an operand.
    mutating func castType(
        of operand: PredicateTree.Expression, _ start: PredicateToken
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        guard case .string(let type) = token.kind else {
            throw error(.syntax, "The type in CAST is not a quoted name. Put the type in quotes.")
        }
        let literal: Value? =
            switch operand {
            case .constant(let value): value
            case .collection(let values): .array(values)
            default: nil
            }
        if let literal, let value = PredicateCast.value(of: literal, as: type) {
            try advance()
            return .constant(value)
        }
        guard let cast = PredicateTree.Cast(rawValue: type), !operand.isCollection else {
            throw error(
                .unsupported,
                "CAST of \(operand.isCollection ? "a collection" : "this operand") to '\(type.prefix(40))' is not "
                    + "supported. Use one of the types "
                    + PredicateTree.Cast.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
                    + ", or pass the value as %@.")
        }
        try advance()
        return .cast(operand, cast)
    }
}

extension Value {
    /// Creates the number of an unsigned literal: an integer if it fits, then a decimal, then a double.
    fileprivate init?(digits: String, isNegative: Bool) {
        let sign = isNegative ? "-" : ""
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.lowercased().hasPrefix(prefix)
        {
            guard let integer = Int64(sign + digits.dropFirst(2), radix: radix) else { return nil }
            self = .int(integer)
            return
        }
        if digits.utf8.allSatisfy(\.isDigit) {
            if let integer = Int64(sign + digits) {
                self = .int(integer)
                return
            }
            if digits.utf8.count <= 38, let decimal = Decimal(string: sign + digits) {
                self = .decimal(decimal)
                return
            }
        }
        guard let double = Double(sign + digits), double.isFinite else { return nil }
        self = Self.exactDecimal(sign + digits, besides: double).map(Value.decimal) ?? .double(double)
    }

    /// Returns the decimal of a literal with more digits than the nearest Double.
    ///
    /// It is nil if the Double is exact, or if a Decimal would not be exact either.
    private static func exactDecimal(_ text: String, besides double: Double) -> Decimal? {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
        guard mantissa.drop(while: { $0 == "0" }).count <= 38, let shortest = double.shortestDecimal,
            let exact = Decimal(string: text, locale: nil), exact != shortest
        else { return nil }
        return exact
    }
}
