import Foundation
import HowdahMigration
import HowdahSchema
import Synchronization

/// Reports the progress of a migration on standard error: as a bar in a terminal, otherwise as lines.
///
/// `@unchecked Sendable` is sound: the variables are only read and written, and `write` only called, with `turn` held. The
/// migrating thread, the watch for locks and the one for signals call it.
final class MigrationProgress: @unchecked Sendable {
    private static let width = 24
    private static let longestReason = 40

    private let isTerminal: Bool
    private let write: (String) -> Void
    private let turn = Mutex(())
    private var stage = ""
    private var heading = ""
    private var hasBar = false

    init(
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        write: @escaping (String) -> Void = { _ = Output.send($0, to: STDERR_FILENO) }
    ) {
        self.isTerminal = isTerminal
        self.write = write
    }

    func tell(_ event: MigrationEvent) { turn.withLock { _ in tellInTurn(event) } }

    private func tellInTurn(_ event: MigrationEvent) {
        switch event {
        case .waiting(let holder, let left):
            line("waiting: another program works on the store\(holder); \(left.inWords) left")
        case .lockMissed(let reason, let left):
            line("waiting: \(reason); retrying, \(left.inWords) left")
        case .blocked(let holder):
            line("waiting: the index build continues when the transaction of \(holder) has ended")
        case .pendingBegan(let count):
            stage = "pending work"
            head("\(stage): \(count.counted("step", "steps"))")
        case .stageBegan(let position, let plan):
            let label = position.label.isEmpty ? "" : " (\(position.label))"
            stage = "stage \(position.number) of \(position.count)"
            let (now, all) = (plan.steps.count { $0.execution == .immediate }, plan.steps.count)
            let text =
                "\(stage)\(label): " + (now < all ? "\(now) of " : "") + all.counted("step", "steps")
                + (now < all ? " in the transaction" : "")
            head(text)
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

    /// Prints a heading, and not again with each try.
    private func head(_ text: String) {
        if text != heading { line(text) }
        heading = text
    }

    /// Tells that it is being cancelled.
    func tellCancelling() {
        turn.withLock { _ in line("cancelling …; send the signal again to end the program immediately") }
    }

    /// Takes the bar away.
    func end() { turn.withLock { _ in removeBar() } }

    private func removeBar() {
        if hasBar { write("\r\u{1B}[K") }
        hasBar = false
    }

    private func line(_ text: String) {
        removeBar()
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
