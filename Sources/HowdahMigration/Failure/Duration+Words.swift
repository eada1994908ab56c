extension Duration {
    /// The duration in whole milliseconds for a setting like `lock_timeout`: 1 to 2^31 - 1.
    var settingInMilliseconds: Int {
        Int(min(Double(Int32.max), max(1, (self / .milliseconds(1)).rounded(.down))))
    }

    /// The duration for people: `0.4 s`, `12 s`, `3 min 5 s`.
    package var inWords: String {
        let seconds = self / .seconds(1)
        let tenths = (seconds * 10).rounded() / 10
        if tenths < 10, tenths != tenths.rounded() { return "\(tenths) s" }
        let whole = Int(exactly: seconds.rounded()) ?? .max
        if whole < 120 { return "\(whole) s" }
        return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
    }
}
