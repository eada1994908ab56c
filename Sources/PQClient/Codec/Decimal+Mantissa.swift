import Foundation

extension Decimal {
    /// The digits as one integer; the value is mantissa · 10^exponent.
    var mantissa: UInt128 {
        guard DecimalLayout.isKnown else { return UInt128(significand.magnitude.description) ?? 0 }
        return withUnsafeBytes(of: self) { DecimalLayout.mantissa($0) }
    }

    /// Creates the value mantissa · 10^exponent, for exponents from -128 to 127.
    init(mantissa: UInt128, exponent: Int, isNegative: Bool) {
        guard DecimalLayout.isKnown else {
            self = Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)") ?? .nan
            return
        }
        self = .zero
        withUnsafeMutableBytes(of: &self) {
            DecimalLayout.store(mantissa, exponent: exponent, isNegative: isNegative, in: $0)
        }
    }
}

/// The bytes of `Decimal`: exponent, flags, two unused bytes, eight words of mantissa from the lowest.
///
/// Foundation for Linux hides the fields that it shows on macOS, and text costs a microsecond per value. The
/// layout is checked once against values made from text. If it is another, text is used.
enum DecimalLayout {
    static let isKnown: Bool = {
        guard MemoryLayout<Decimal>.size == 20 else { return false }
        let digits: UInt128 = 12_345_678_901_234_567_890_123_456_789_012_345_678
        guard let sample = Decimal(string: "-\(digits)e-5") else { return false }
        var copy = Decimal.zero
        withUnsafeMutableBytes(of: &copy) { store(digits, exponent: -5, isNegative: true, in: $0) }
        return withUnsafeBytes(of: sample) { mantissa($0) } == digits && copy == sample
            && copy.exponent == -5 && copy.description == sample.description
    }()

    static func mantissa(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
        return UInt128(high) << 64 | UInt128(low)
    }

    static func store(
        _ mantissa: UInt128, exponent: Int, isNegative: Bool, in bytes: UnsafeMutableRawBufferPointer
    ) {
        let wordCount = UInt8((128 - mantissa.leadingZeroBitCount + 15) / 16)
        bytes[0] = UInt8(bitPattern: Int8(truncatingIfNeeded: exponent))
        #if canImport(Darwin)
        bytes[1] = wordCount | (isNegative ? 0x10 : 0)
        #else
        bytes[1] = wordCount << 4 | (isNegative ? 0x08 : 0)
        #endif
        let low = UInt64(truncatingIfNeeded: mantissa).littleEndian
        let high = UInt64(truncatingIfNeeded: mantissa >> 64).littleEndian
        bytes.storeBytes(of: low, toByteOffset: 4, as: UInt64.self)
        bytes.storeBytes(of: high, toByteOffset: 12, as: UInt64.self)
    }
}
