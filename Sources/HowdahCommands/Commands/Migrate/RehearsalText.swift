import Foundation
import HowdahMigration

/// What a rehearsal found, as lines.
struct RehearsalText {
    private let report: RehearsalReport

    init(_ report: RehearsalReport) { self.report = report }

    func write() throws { try Output.write(lines.map(\.printable).joined(separator: "\n")) }

    private var lines: [String] {
        var lines: [String] = []
        for (number, stage) in report.stages.enumerated() {
            lines.append(
                "stage \(number + 1) of \(report.stageCount)  \(stage.label)  \(Self.seconds(stage.seconds))")
            for step in stage.steps {
                lines.append(
                    "  \(step.number)  \(step.reason)  \(Self.seconds(step.seconds))  "
                        + step.rows.counted("row", "rows") + "  \(step.lock.rawValue)")
            }
            for lock in stage.locks { lines.append("  locked: \(lock.table) \(lock.mode)") }
            if !stage.rewrites.isEmpty {
                lines.append("  rewritten: \(stage.rewrites.joined(separator: ", "))")
            }
            lines += stage.violations.map { "  ! \($0)" }
        }
        let verdict =
            report.ending.map { "ended early: \(Self.withoutEnd($0))" }
            ?? (report.isClean ? "it would go through" : "rows do not fit")
        lines.append("\(verdict); all undone after \(Self.seconds(report.seconds))")
        return lines
    }

    /// What goes on after a sentence has no full stop before it.
    private static func withoutEnd(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.3f s", value) }
}
