import Foundation
import HowdahMigration
import HowdahSchema

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
            for place in 0...stage.steps.count {
                lines += stage.handlers.filter { $0.afterSteps == place }.map {
                    "  -  \($0.name) handler  \(Self.seconds($0.seconds))"
                }
                if place < stage.steps.count { lines.append(Self.line(stage.steps[place])) }
            }
            for lock in stage.locks { lines.append("  locked: \(lock.table) \(lock.mode)") }
            if !stage.rewrites.isEmpty {
                lines.append("  rewritten: \(stage.rewrites.joined(separator: ", "))")
            }
            lines += stage.violations.map { "  ! \($0)" }
        }
        if report.stages.contains(where: { $0.steps.contains { $0.execution != .immediate } }) {
            lines.append(
                "online and deferred steps were rehearsed in the transaction; their locks are not listed, because the "
                    + "migration uses weaker locks for these steps")
        }
        let rollback = "everything was rolled back after \(Self.seconds(report.seconds))"
        if let ending = report.ending { return lines + ["ended early: \(ending)"] + said + [rollback] }
        let verdict =
            report.isClean ? "the migration would succeed" : "rows of the store do not fit the model"
        return lines + ["\(verdict); \(rollback)"]
    }

    /// The message of the server about the reason of an early end.
    private var said: [String] {
        ["server", "detail", "hint", "at character", "in"].flatMap { name -> [String] in
            guard let text = report.fields?[name] else { return [] }
            return "  \(name == "server" ? "the server" : name): \(text)".split(separator: "\n").map(
                String.init)
        }
    }

    private static func line(_ step: RehearsalReport.Step) -> String {
        "  \(step.number)  \(step.reason)  \(seconds(step.seconds))  " + step.rows.counted("row", "rows")
            + "  \(step.lock.rawValue)" + (step.execution == .immediate ? "" : ", \(step.execution.rawValue)")
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.3f s", value) }
}
