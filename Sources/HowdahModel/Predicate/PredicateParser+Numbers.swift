import Foundation

extension PredicateParser {
    /// A number literal with its sign.
    mutating func number() throws(PredicateTreeError) -> Value {
        let start = token
        let isNegative = token.isSymbol("-")
        if isNegative { try advance() }
        guard case .number(let digits) = token.kind else {
            throw lexer.error(
                .unsupported, "arithmetic (-) is not supported in predicates; negate numbers only.",
                start.range)
        }
        guard let value = Value(digits: digits, isNegative: isNegative) else {
            throw error(.syntax, "The number has no digits or is out of range; pass it as an argument.")
        }
        try advance()
        return value
    }

    /// `CAST(literal, 'type')`: how values without a literal of their own are printed.
    mutating func castLiteral() throws(PredicateTreeError) -> Value {
        let start = token
        try advance()
        try expect("(", "CAST needs parentheses; a key of that name is #CAST.")
        let operand: Value
        switch token.kind {
        case .number, .symbol("-"): operand = try number()
        case .string(let text):
            operand = .string(text)
            try advance()
        case .symbol("{"):
            guard case .collection(let values) = try collection() else {
                throw lexer.error(
                    .unsupported, "CAST of a collection with variables is not supported.", start.range)
            }
            operand = .array(values)
        default:
            throw lexer.error(.unsupported, "CAST of anything but a literal is not supported.", start.range)
        }
        try expect(",", "A comma and a type were expected in CAST.")
        guard case .string(let type) = token.kind else {
            throw error(.syntax, "The type in CAST is a quoted name.")
        }
        guard let value = PredicateCast.value(of: operand, as: type) else {
            throw error(
                .unsupported, "CAST to this type, or of this literal, is not supported; pass the value as %@."
            )
        }
        try advance()
        try expect(")", "CAST is never closed; write ).")
        return value
    }
}

extension Value {
    /// The number of an unsigned literal: an integer where it fits, then a decimal, then a double.
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

    /// The decimal of a literal with more digits than the Double has that is nearest to it; nil where the Double says it
    /// all, or a Decimal would not either.
    private static func exactDecimal(_ text: String, besides double: Double) -> Decimal? {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
        guard mantissa.drop(while: { $0 == "0" }).count <= 38, let shortest = double.shortestDecimal,
            let exact = Decimal(string: text, locale: nil), exact != shortest
        else { return nil }
        return exact
    }
}
