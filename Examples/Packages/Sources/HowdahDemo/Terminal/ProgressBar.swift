/// How far something is: one line that is drawn over in a terminal, a line now and then elsewhere.
struct ProgressBar {
    private static let width = 30

    private let total: Int?
    private let began = ContinuousClock.now
    private var lastPrinted: ContinuousClock.Instant?

    init(total: Int?) { self.total = total }

    mutating func show(_ done: Int) {
        let now = ContinuousClock.now
        if Screen.isTerminal {
            Screen.write("\r\u{1B}[K  " + text(done, now))
        } else if now - (lastPrinted ?? began) > .seconds(2) {
            Screen.line("  " + text(done, now))
            lastPrinted = now
        }
    }

    /// Takes the bar away; what came of it is printed by others.
    func clear() { if Screen.isTerminal { Screen.write("\r\u{1B}[K") } }

    private func text(_ done: Int, _ now: ContinuousClock.Instant) -> String {
        let rate = Int(Double(done) / max(0.001, Format.seconds(now - began)))
        let speed = "\(Format.count(done)) packages, \(Format.count(rate))/s"
        guard let total, total > 0 else { return speed }
        let fraction = min(1, Double(done) / Double(total))
        let filled = Int(fraction * Double(Self.width))
        let percent = "\(Format.right(String(Int(fraction * 100)), 3)) %  \(speed)"
        guard Screen.isTerminal else { return percent }
        return String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            + " " + percent
    }
}
