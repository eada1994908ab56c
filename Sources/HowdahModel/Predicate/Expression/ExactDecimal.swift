internal import Foundation

/// Arithmetic on Decimals that is exact or gives nil.
///
/// Foundation's arithmetic would round to 38 digits, in ways that no database does. A result has at most 38
/// digits, and 127 places behind the point. Digits before the point count even if they are zeros. A quotient
/// is cut off after 20 places.
enum ExactDecimal {
    static let digitLimit = 38
    static let placeLimit = 127
    /// The places of a quotient behind the point.
    static let quotientPlaces = 20

    static func sum(_ a: Decimal, _ b: Decimal) -> Decimal? {
        if a.isNaN || b.isNaN { return .nan }
        var sum = Sum()
        sum.add(a)
        sum.add(b)
        return sum.value
    }

    static func product(_ a: Decimal, _ b: Decimal) -> Decimal? {
        if a.isNaN || b.isNaN { return .nan }
        let (left, right) = (Digits(a), Digits(b))
        var product = [Int](repeating: 0, count: left.digits.count + right.digits.count)
        for (i, x) in left.digits.enumerated() {
            for (j, y) in right.digits.enumerated() { product[i + j] += x * y }
        }
        return Digits.decimal(
            product, exponent: left.exponent + right.exponent, isNegative: left.isNegative != right.isNegative
        )
    }

    static func quotient(_ a: Decimal, _ b: Decimal) -> Decimal? {
        if b.isNaN { return .nan }
        if b.isZero { return nil }
        if a.isNaN { return .nan }
        let (left, right) = (Digits(a), Digits(b))
        // Both as whole numbers, the dividend with as many places more as the quotient shall have.
        let shift = left.exponent - right.exponent + quotientPlaces
        let dividend = Array(repeating: 0, count: max(0, shift)) + left.digits
        let divisor = Array(repeating: 0, count: max(0, -shift)) + right.digits
        let quotient = Digits.divided(dividend, by: divisor)
        return Digits.decimal(
            quotient, exponent: -quotientPlaces, isNegative: left.isNegative != right.isNegative)
    }

    /// Returns the whole number next to a Decimal, in the direction of `function`.
    static func rounded(_ decimal: Decimal, _ function: PredicateTree.Function) -> Decimal {
        let number = Digits(decimal)
        guard number.exponent < 0 else { return decimal }
        let whole = Array(number.digits.dropFirst(-number.exponent))
        let hasFraction = number.digits.prefix(-number.exponent).contains { $0 != 0 }
        var result = Digits.decimal(whole, exponent: 0, isNegative: number.isNegative) ?? decimal
        if hasFraction, function == .floor, number.isNegative { result -= 1 }
        if hasFraction, function == .ceiling, !number.isNegative { result += 1 }
        return result
    }

    /// A sum of any number of Decimals, exact in between.
    struct Sum {
        private static let lowest = -256
        private var digits = [Int](repeating: 0, count: 512)
        private var isNaN = false

        mutating func add(_ decimal: Decimal) {
            if decimal.isNaN {
                isNaN = true
                return
            }
            let number = Digits(decimal)
            for (place, digit) in number.digits.enumerated() {
                digits[number.exponent - Self.lowest + place] += number.isNegative ? -digit : digit
            }
        }

        /// The sum; nil if it has too many digits.
        var value: Decimal? {
            if isNaN { return .nan }
            // The highest place that is not zero after carrying has the sum's sign.
            let carried = Digits.carried(digits)
            let isNegative = (carried.last { $0 != 0 } ?? 0) < 0
            let magnitude = isNegative ? Digits.carried(digits.map { -$0 }) : carried
            return Digits.decimal(magnitude, exponent: Self.lowest, isNegative: isNegative)
        }
    }
}

/// A Decimal as its digits, the lowest first.
private struct Digits {
    let isNegative: Bool
    var digits: [Int] = []
    var exponent = 0

    init(_ decimal: Decimal) {
        isNegative = decimal.isSignMinus
        for byte in "\(decimal.magnitude)".utf8.reversed() {
            if byte == UInt8(ascii: ".") {
                exponent = -digits.count
            } else {
                digits.append(Int(byte) - 48)
            }
        }
    }

    /// Returns digits below ten for any sums of digits. The highest ones stay unchanged, to show the sign.
    static func carried(_ digits: [Int]) -> [Int] {
        var result = digits
        for place in result.indices.dropLast() {
            let carry = Int((Double(result[place]) / 10).rounded(.down))
            result[place] -= carry * 10
            result[place + 1] += carry
        }
        while let last = result.last, last >= 10 {
            result[result.count - 1] = last % 10
            result.append(last / 10)
        }
        return result
    }

    /// Returns the Decimal, if it is within the limits.
    static func decimal(_ digits: [Int], exponent: Int, isNegative: Bool) -> Decimal? {
        var digits = carried(digits)[...]
        var exponent = exponent
        while digits.last == 0 { digits.removeLast() }
        while digits.first == 0, exponent < 0 {
            digits.removeFirst()
            exponent += 1
        }
        guard !digits.isEmpty else { return .zero }
        guard digits.count + max(0, exponent) <= ExactDecimal.digitLimit, exponent >= -ExactDecimal.placeLimit
        else { return nil }
        let text = digits.reversed().map { String($0) }.joined()
        return Decimal(string: "\(isNegative ? "-" : "")\(text)e\(exponent)", locale: Locale(identifier: "C"))
    }

    /// Returns the whole part of a quotient of two whole numbers.
    static func divided(_ dividend: [Int], by divisor: [Int]) -> [Int] {
        let divisor = trimmed(divisor)
        var quotient = [Int](repeating: 0, count: dividend.count)
        var rest: [Int] = []
        for place in dividend.indices.reversed() {
            rest.insert(dividend[place], at: 0)
            rest = trimmed(rest)
            while !isLess(rest, divisor) {
                rest = trimmed(difference(rest, divisor))
                quotient[place] += 1
            }
        }
        return quotient
    }

    private static func trimmed(_ digits: [Int]) -> [Int] {
        var digits = digits
        while digits.last == 0 { digits.removeLast() }
        return digits
    }

    private static func isLess(_ a: [Int], _ b: [Int]) -> Bool {
        if a.count != b.count { return a.count < b.count }
        for (x, y) in zip(a.reversed(), b.reversed()) where x != y { return x < y }
        return false
    }

    private static func difference(_ a: [Int], _ b: [Int]) -> [Int] {
        var result = a
        for place in result.indices {
            if place < b.count { result[place] -= b[place] }
            if result[place] < 0 {
                result[place] += 10
                result[place + 1] -= 1
            }
        }
        return result
    }
}
