internal import Foundation

extension PredicateCast {
    /// Texts that `CAST` reads as a number; the database uses the same patterns.
    package static let doublePattern = "[+-]?[0-9]{1,150}(\\.[0-9]{0,150})?([eE][+-]?[0-9]{1,2})?"
    package static let decimalPattern = "[+-]?[0-9]{1,19}(\\.[0-9]{1,19})?"
    /// The range of times that `CAST` returns, in seconds since 2001.
    package static let moments = -2e11...7e12

    private static let double = try? PredicatePattern(doublePattern)
    private static let decimal = try? PredicatePattern(decimalPattern)

    /// Returns a value as another type; nil if it has no such value.
    ///
    /// - Throws: `argumentType` if no value of its type has one.
    static func cast(_ value: Value, to type: PredicateTree.Cast) throws(PredicateTreeError) -> Value {
        switch (type, value) {
        case (_, .null): return .null
        case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case (.number, .string(let text)):
            guard double?.matches(text) ?? false else { return .null }
            return Double(
                text.hasSuffix(".")
                    ? text + "0" : text.replacing(".e", with: ".0e").replacing(".E", with: ".0e")
            ).map(Value.double) ?? .null
        case (.number, .bool), (.number, .int), (.number, .double), (.number, .float), (.number, .decimal):
            return PredicateNumber(value)?.value ?? .null
        case (.decimal, .string(let text)):
            guard decimal?.matches(text) ?? false else { return .null }
            return Decimal(string: text, locale: Locale(identifier: "C")).map(Value.decimal) ?? .null
        case (.decimal, .bool), (.decimal, .int), (.decimal, .decimal):
            return PredicateNumber(value).map { .decimal($0.asDecimal) } ?? .null
        case (.decimal, .float), (.decimal, .double):
            let number = PredicateNumber(value)?.asDouble ?? .nan
            guard number == 0 || (1e-18...1e18).contains(number.magnitude) else { return .null }
            return number.shortestDecimal.map(Value.decimal) ?? .null
        case (.date, .date): return value
        case (.date, .bool), (.date, .int), (.date, .double), (.date, .float), (.date, .decimal):
            return PredicateNumber(value).flatMap { moment($0.asDouble) } ?? .null
        case (.string, .string): return value
        case (.string, .uri(let url)): return .string(url.absoluteString)
        case (.string, .uuid(let uuid)): return .string(uuid.uuidString)
        case (.string, .int(let number)): return .string("\(number)")
        default:
            throw PredicateTreeError(
                .argumentType,
                "CAST cannot convert a value of this type to '\(type.rawValue)'. Compare the value without "
                    + "CAST.")
        }
    }

    /// Returns the time for the digits of a number, in whole microseconds.
    private static func moment(_ seconds: Double) -> Value? {
        guard moments.contains(seconds) else { return nil }
        // Less than half a microsecond need not be a Decimal.
        let exact = seconds.shortestDecimal ?? 0
        var (scaled, rounded) = (exact * 1_000_000, Decimal())
        NSDecimalRound(&rounded, &scaled, 0, .plain)
        guard let total = Int64("\(rounded)") else { return nil }
        if total.magnitude <= 1 << 53 {
            return .date(Date(timeIntervalSinceReferenceDate: Double(total) / 1e6))
        }
        let (whole, rest) = total.quotientAndRemainder(dividingBy: 1_000_000)
        return .date(Date(timeIntervalSinceReferenceDate: Double(whole) + Double(rest) / 1e6))
    }
}
