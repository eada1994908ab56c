extension Timestamp {
    /// Returns a time as ISO 8601 in UTC with microseconds.
    ///
    /// If the year is outside 0 to 9999, it has a sign and six digits. The year 0 is 1 BC. The server's
    /// infinities are `infinity` and `-infinity`.
    package static func iso8601(_ microseconds: Int64) -> String {
        if microseconds == infinity { return "infinity" }
        if microseconds == negativeInfinity { return "-infinity" }
        var (day, time) = microseconds.quotientAndRemainder(dividingBy: dayLength)
        if time < 0 {
            time += dayLength
            day -= 1
        }
        let (year, month, dayOfMonth) = civil(daysSince2000: day)
        let seconds = time / 1_000_000
        let years =
            (0...9999).contains(year)
            ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
        return years + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
            + "T" + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2)
            + ":" + padded(seconds % 60, 2) + "." + padded(time % 1_000_000, 6) + "Z"
    }

    /// Returns the server's value of an ISO 8601 date and time with a zone.
    ///
    /// It is nil if the text has another form, is finer than a microsecond, or is outside the server's range.
    package static func microseconds(iso8601 text: String) -> Int64? {
        if text == "infinity" { return infinity }
        if text == "-infinity" { return negativeInfinity }
        var scanner = Scanner(Array(text.utf8))
        let isExpanded = scanner.peek == UInt8(ascii: "+") || scanner.peek == UInt8(ascii: "-")
        let sign: Int64 = isExpanded && scanner.take() == UInt8(ascii: "-") ? -1 : 1
        guard let year = scanner.number(isExpanded ? 6 : 4), scanner.skip("-"),
            let month = scanner.number(2), scanner.skip("-"), let day = scanner.number(2), scanner.skip("T"),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
            scanner.skip(":"), let second = scanner.number(2),
            let fraction = scanner.fraction(), let offset = scanner.zone(), scanner.peek == nil,
            (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = daysSince2000(sign * year, month, day)
        guard civil(daysSince2000: days) == (sign * year, month, day) else { return nil }
        let seconds = hour * 3600 + minute * 60 + second - offset
        let (whole, overflow) = days.multipliedReportingOverflow(by: dayLength)
        let (sum, sumOverflow) = whole.addingReportingOverflow(seconds * 1_000_000 + fraction)
        guard !overflow, !sumOverflow, sum >= earliest, sum < end else { return nil }
        return sum
    }

    /// Returns the server's value of a time in its JSON, or of an ISO 8601 date and time.
    ///
    /// The server writes years after 9999 without a sign, and years before 1 with `BC`. The offsets of early times can
    /// have seconds. The result is nil if the text has another form.
    package static func microseconds(json text: String) -> Int64? {
        let isBeforeChrist = text.hasSuffix(" BC")
        let body = isBeforeChrist ? text.dropLast(3) : text[...]
        guard let dash = body.firstIndex(of: "-"), let counted = Int64(body[..<dash]) else {
            return microseconds(iso8601: text)
        }
        let year = isBeforeChrist ? 1 - counted : counted
        let years =
            (0...9999).contains(year)
            ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
        var rest = String(body[dash...])
        // After the sign there are hours, minutes and seconds.
        let zone = rest.lastIndex { $0 == "+" || $0 == "-" }.map { rest[$0...] } ?? ""
        var seconds: Int64 = 0
        if zone.count == 9, rest.contains("T"), let found = Int64(zone.suffix(2)) {
            seconds = zone.hasPrefix("-") ? -found : found
            rest.removeLast(3)
        }
        return microseconds(iso8601: years + rest).map { $0 - seconds * 1_000_000 }
    }

    private static let dayLength: Int64 = 86_400_000_000

    /// Returns the inverse of ``civil(daysSince2000:)``, by the same calendar that begins in March.
    private static func daysSince2000(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 730_425
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func take() -> UInt8? {
            defer { position += 1 }
            return peek
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard peek == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(_ digits: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digits {
                guard let byte = take(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                    return nil
                }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }

        /// Reads the microseconds behind a point; 0 without a point.
        mutating func fraction() -> Int64? {
            guard skip(".") else { return 0 }
            var (value, digits): (Int64, Int) = (0, 0)
            while let next = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
                guard digits < 6 else { return nil }
                value = value * 10 + Int64(next - UInt8(ascii: "0"))
                digits += 1
                position += 1
            }
            guard digits > 0 else { return nil }
            for _ in digits..<6 { value *= 10 }
            return value
        }

        /// Reads the offset of a zone from UTC in seconds.
        mutating func zone() -> Int64? {
            if skip("Z") { return 0 }
            guard let sign = take(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
        }
    }
}
