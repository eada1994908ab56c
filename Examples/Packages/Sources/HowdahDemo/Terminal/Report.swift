import Foundation
import Howdah

/// What the demo did, how long it took and what it sent; printed as a table at the end.
struct Report {
    struct Part {
        let title: String
        let rows: Int
        let time: Duration
        let statements: Int
    }

    private(set) var parts: [Part] = []

    mutating func add(_ title: String, rows: Int, time: Duration, statements: Int) {
        parts.append(Part(title: title, rows: rows, time: time, statements: statements))
    }

    /// Runs a part that reports how many rows it was about, and counts its statements.
    mutating func measure(
        _ title: String, on container: PersistentContainer, _ body: () async throws -> Int
    ) async throws {
        container.statementLog.start()
        let began = ContinuousClock.now
        let rows = try await body()
        add(title, rows: rows, time: ContinuousClock.now - began, statements: container.statementLog.count)
        container.statementLog.stop()
    }

    func show() {
        Screen.heading("Time and statements")
        Screen.line(row("", "rows", "time", "rows/s", "SQL"))
        for part in parts { Screen.line(row(part)) }
        Screen.line("  Peak memory of the demo: \(Format.count(Self.peakMegabytes())) MB")
    }

    private func row(_ part: Part) -> String {
        let rate = Int(Double(part.rows) / max(0.000_001, Format.seconds(part.time)))
        return row(
            part.title, part.rows > 0 ? Format.count(part.rows) : "", Format.time(part.time),
            part.rows > 0 ? Format.count(rate) : "", part.statements > 0 ? Format.count(part.statements) : "")
    }

    private func row(_ title: String, _ rows: String, _ time: String, _ rate: String, _ statements: String)
        -> String
    {
        "  " + Format.left(title, 44) + Format.right(rows, 10) + Format.right(time, 10)
            + Format.right(rate, 10) + Format.right(statements, 8)
    }

    private static func peakMegabytes() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        return Int(usage.ru_maxrss) / 1_000_000
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Int(usage.ru_maxrss) / 1_000
        #endif
    }
}
