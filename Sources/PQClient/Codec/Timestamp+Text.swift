extension Timestamp {
    /// Returns a finite time as ISO 8601 in UTC, which the server reads in every DateStyle.
    static func text(_ microseconds: Int64) -> String {
        let dayLength: Int64 = 86_400_000_000
        var (day, time) = microseconds.quotientAndRemainder(dividingBy: dayLength)
        if time < 0 {
            time += dayLength
            day -= 1
        }
        let (year, month, dayOfMonth) = civil(daysSince2000: day)
        let seconds = time / 1_000_000
        let text =
            padded(year > 0 ? year : 1 - year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
            + " " + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2)
            + ":" + padded(seconds % 60, 2) + "." + padded(time % 1_000_000, 6) + "+00"
        return year > 0 ? text : text + " BC"
    }

    /// Returns the proleptic Gregorian date. Years count from March, so that the leap day ends its year.
    static func civil(daysSince2000 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 730_425
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
