import Foundation
import HowdahMigration

/// Tells on standard error how far a migration is: a bar in a terminal, lines elsewhere.
final class MigrationProgress {
    private static let width = 24
    private static let longestReason = 40

    private let isTerminal: Bool
    private let write: (String) -> Void
    private var stage = ""
    private var hasBar = false

    init(
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        write: @escaping (String) -> Void = { _ = Output.send($0, to: STDERR_FILENO) }
    ) {
        self.isTerminal = isTerminal
        self.write = write
    }

    func tell(_ event: MigrationEvent) {
        switch event {
        case .waiting(let holder): line("waiting: another program works on the store\(holder)")
        case .stageBegan(let position, let plan):
            let label = position.label.isEmpty ? "" : " (\(position.label))"
            stage = "stage \(position.number) of \(position.count)"
            line("\(stage)\(label): \(plan.steps.count.counted("step", "steps"))")
        case .handlerBegan(let name):
            if isTerminal { bar(0, 1, name) } else { line("\(stage): \(name) handler") }
        case .stepBegan(let number, let count, let step):
            if isTerminal {
                bar(number, count, step.reason)
            } else {
                line("\(stage): step \(number) of \(count), \(step.reason)")
            }
        case .stageEnded: line("\(stage): done")
        }
    }

    /// Takes the bar away.
    func end() {
        if hasBar { write("\r\u{1B}[K") }
        hasBar = false
    }

    private func line(_ text: String) {
        end()
        let time = isTerminal ? "" : Date.now.formatted(.iso8601) + " "
        write(time + text.printable + "\n")
    }

    private func bar(_ number: Int, _ count: Int, _ text: String) {
        hasBar = true
        let done = count > 0 ? number * Self.width / count : 0
        let marks = String(repeating: "#", count: done) + String(repeating: ".", count: Self.width - done)
        write("\r\u{1B}[K\(stage) [\(marks)] \(number)/\(count) \(text.printable.prefix(Self.longestReason))")
    }
}
