/// How wide a text will be, estimated without a font.
///
/// The table is of DejaVu Sans, which is wider than the system fonts of other platforms: text that fits here fits
/// there.
enum TextWidth {
    /// Hundredths of the font size, for the printable characters of ASCII from the space on.
    private static let ascii: [Int] = [
        32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 34,
        34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,
        61, 73,
        68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63,
        61, 63,
        63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
    ]

    /// The width in whole units, rounded up; `size` is in tenths of a unit.
    static func of(_ text: String, size: Int, bold: Bool = false) -> Int {
        var sum = 0
        for scalar in text.unicodeScalars { sum += width(of: scalar) }
        if bold { sum += sum / 8 }
        return (sum * size + 999) / 1_000
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let value = Int(scalar.value)
        if value >= 32, value < 127 { return ascii[value - 32] }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFFE6,
            0x20000...0x3FFFF:
            return 105
        case 0x1F000...0x1FAFF, 0x2600...0x27BF: return 135
        case 0x12000...0x1EFFF: return 110
        default: return 78
        }
    }
}
