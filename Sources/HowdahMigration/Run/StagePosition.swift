internal import Foundation
internal import HowdahSchema

/// Which stage of how many, and what it is called.
package struct StagePosition: Hashable, Sendable {
    package var number = 1
    package var count = 1
    package var label = ""

    /// A comment before a statement, by which it is known in logs and in the server's list of sessions.
    func comment(step: Int, of steps: Int) -> String {
        "/* \(Self.mark) stage \(number) of \(count)\(label.isEmpty ? "" : " (\(Self.harmless(label)))"), "
            + "step \(step) of \(steps), on \(Self.harmless(ProcessInfo.processInfo.hostName)) */ "
    }

    /// The same before statements of what a deferred migration has left.
    static func comment(pending number: Int, of count: Int, _ execution: MigrationStep.Execution) -> String {
        "/* \(mark) pending step \(number) of \(count) (\(execution.rawValue)), "
            + "on \(harmless(ProcessInfo.processInfo.hostName)) */ "
    }

    /// What comments begin with.
    static let mark = "howdah migrate:"

    private static let longest = 60

    /// Without what would end or begin a comment, or steer a terminal.
    private static func harmless(_ text: String) -> String {
        let kept = text.unicodeScalars.map { scalar in
            scalar.value < 32 || scalar == "*" || scalar == "/" || scalar.value == 127
                ? " " : Character(scalar)
        }
        return String(String(kept).prefix(longest))
    }
}
