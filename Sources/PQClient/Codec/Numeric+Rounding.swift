import Foundation

extension Numeric {
    private static let digitLimit = 38
    private static let lowestExponent = -127

    /// Returns the value of a binary `numeric`, rounded to 38 digits if a Decimal cannot hold them all.
    ///
    /// Halves are rounded away from zero.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if it is infinite or beyond the range of
    ///   `Decimal`.
    static func rounded(_ bytes: UnsafeRawBufferPointer) throws -> Decimal {
        do {
            return try decimal(bytes)
        } catch {
            guard let (digits, exponent, isNegative) = digits(bytes) else { throw error }
            let surplus = max(0, digits.count - digitLimit, lowestExponent - exponent)
            let kept = digits.count - surplus
            guard kept >= 0 else { return .zero }
            var mantissa = digits.prefix(kept).reduce(UInt128(0)) { $0 * 10 + UInt128($1) }
            if kept < digits.count, digits[kept] >= 5 { mantissa += 1 }
            var power = exponent + surplus
            guard mantissa != 0 else { return .zero }
            guard power <= 127 else { throw error }
            while mantissa % 10 == 0, power < 0 {
                mantissa /= 10
                power += 1
            }
            return Decimal(mantissa: mantissa, exponent: power, isNegative: isNegative)
        }
    }

    /// Returns the decimal digits from the first that is not zero; nil if the number is not finite.
    private static func digits(
        _ bytes: UnsafeRawBufferPointer
    ) -> (digits: [UInt8], exponent: Int, isNegative: Bool)? {
        func word(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        }
        guard bytes.count >= 8, bytes.count >= 8 + 2 * Int(word(0)) else { return nil }
        let (count, sign) = (Int(word(0)), word(2))
        guard sign == 0 || sign == negative else { return nil }
        var digits: [UInt8] = []
        for index in 0..<count {
            let group = word(4 + index)
            guard group < 10_000 else { return nil }
            digits += [group / 1000, group / 100 % 10, group / 10 % 10, group % 10].map { UInt8($0) }
        }
        let exponent = 4 * (Int(Int16(bitPattern: word(1))) - count + 1)
        return (Array(digits.drop { $0 == 0 }), exponent, sign == negative)
    }
}
