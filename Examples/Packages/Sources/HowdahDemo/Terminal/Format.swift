import Foundation

/// Numbers, times and columns as people read them.
enum Format {
    /// 63,666
    static func count(_ number: Int) -> String {
        var digits = String(abs(number))
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return (number < 0 ? "-" : "") + ([Substring(digits)] + groups).joined(separator: ",")
    }

    /// "1 statement", "12 statements"
    static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// 12 ms, 3.4 s
    static func time(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        return seconds < 1 ? String(format: "%.0f ms", seconds * 1_000) : String(format: "%.1f s", seconds)
    }

    static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// 12.3 MB
    static func size(kilobytes: Int) -> String {
        kilobytes < 1_000 ? "\(kilobytes) kB" : String(format: "%.1f MB", Double(kilobytes) / 1_000)
    }

    static func left(_ text: String, _ width: Int) -> String {
        text.count <= width
            ? text + String(repeating: " ", count: width - text.count) : String(text.prefix(width - 1)) + "…"
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
