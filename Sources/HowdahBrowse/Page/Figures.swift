/// The spelling of numbers for people.
enum Figures {
    /// Returns a number with commas between thousands.
    static func count(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (number < 0 ? "-" : "") + String(digits)
    }

    /// Returns a size with its unit.
    static func bytes(_ number: Int) -> String {
        if number < 1_024 { return "\(number) bytes" }
        var (value, unit) = (Double(number), 0)
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        let tenths = Int((value * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(tenths / 10) \(units[unit])"
    }
}
