import Foundation

/// The binary form of `numeric`: base-10000 digits with a weight, a sign and a display scale, each 16 bits.
///
/// Source: PostgreSQL `numeric_send`.
enum Numeric {
    static let negative: UInt16 = 0x4000
    static let notANumber: UInt16 = 0xC000
    static let infinity: UInt16 = 0xD000
    static let negativeInfinity: UInt16 = 0xF000

    /// Returns the words of a value: count, weight, sign, scale, digits.
    static func words(_ value: Decimal) -> [UInt16] {
        if value.isNaN { return [0, 0, notANumber, 0] }
        let scale = UInt16(max(0, -value.exponent))
        var rest = value.mantissa
        guard rest != 0 else { return [0, 0, 0, scale] }

        // Digits are aligned at multiples of four decimal places: the lowest one takes what is left over.
        let shift = value.exponent - 4 * floorDivision(value.exponent, 4)
        var weight = floorDivision(value.exponent, 4)
        var digits: [UInt16] = []
        let lowest = rest.quotientAndRemainder(dividingBy: UInt128(powerOfTen(4 - shift)))
        digits.append(UInt16(lowest.remainder) * UInt16(powerOfTen(shift)))
        rest = lowest.quotient
        while rest != 0 {
            let next = rest.quotientAndRemainder(dividingBy: 10_000)
            digits.append(UInt16(next.remainder))
            rest = next.quotient
        }
        weight += digits.count - 1
        while digits.last == 0 {
            digits.removeLast()
            weight -= 1
        }
        digits.reverse()
        while digits.last == 0 { digits.removeLast() }
        let sign = value.isSignMinus ? negative : 0
        return [UInt16(digits.count), UInt16(bitPattern: Int16(weight)), sign, scale] + digits
    }

    /// Returns the value of a binary `numeric`.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if `Decimal` (38 digits) cannot hold it.
    static func decimal(_ bytes: UnsafeRawBufferPointer) throws -> Decimal {
        func word(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        }
        guard bytes.count >= 8, bytes.count >= 8 + 2 * Int(word(0)) else { throw malformed() }
        let count = Int(word(0))
        let sign = word(2)
        if sign == notANumber { return .nan }
        guard sign == 0 || sign == negative else { throw tooWide("infinite") }
        guard count > 0 else { return .zero }

        var exponent = 4 * (Int(Int16(bitPattern: word(1))) - count + 1)
        var last = word(3 + count)
        guard last < 10_000 else { throw malformed() }
        // The trailing zeros of the last digit are not significant, and dropping them may make the rest fit.
        var lastWidth = 4
        while lastWidth > 1, last % 10 == 0 {
            last /= 10
            lastWidth -= 1
            exponent += 1
        }
        var mantissa: UInt128 = 0
        for index in 0..<count {
            let isLast = index == count - 1
            let digit = isLast ? last : word(4 + index)
            let scaled = mantissa.multipliedReportingOverflow(
                by: UInt128(powerOfTen(isLast ? lastWidth : 4)))
            let sum = scaled.partialValue.addingReportingOverflow(UInt128(digit))
            guard !scaled.overflow, !sum.overflow else { throw tooWide("too precise") }
            mantissa = sum.partialValue
        }
        while exponent > 127 {
            let scaled = mantissa.multipliedReportingOverflow(by: 10)
            guard !scaled.overflow else { throw tooWide("too large") }
            mantissa = scaled.partialValue
            exponent -= 1
        }
        guard exponent >= -128 else { throw tooWide("too small") }
        return Decimal(mantissa: mantissa, exponent: exponent, isNegative: sign == negative)
    }

    /// Returns the leading digits in scientific notation, without rounding.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        func word(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        }
        guard bytes.count >= 8, bytes.count >= 8 + 2 * Int(word(0)) else { return "?" }
        switch word(2) {
        case notANumber: return "NaN"
        case infinity: return "Infinity"
        case negativeInfinity: return "-Infinity"
        default: break
        }
        let shown = min(Int(word(0)), 6)
        guard shown > 0 else { return "0" }
        let first = String(word(4))
        let rest = (1..<shown).map { index in
            let digits = String(word(4 + index))
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        let exponent = 4 * Int(Int16(bitPattern: word(1))) + first.count - 1
        let sign = word(2) == negative ? "-" : ""
        return "\(sign)\(first.prefix(1)).\(first.dropFirst())\(rest.joined())…e\(exponent)"
    }

    static func powerOfTen(_ exponent: Int) -> Int {
        switch exponent {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1000
        default: 10_000
        }
    }

    private static func floorDivision(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }

    private static func tooWide(_ why: String) -> PostgresError {
        PostgresError(
            .invalidValue,
            "A numeric of the database is \(why) for Decimal (38 digits). Cast or round the value in SQL.",
            phase: .decode)
    }

    private static func malformed() -> PostgresError {
        PostgresError(
            .invalidValue, "The bytes are not a numeric. Check the column's type before you decode it.",
            phase: .decode)
    }
}
