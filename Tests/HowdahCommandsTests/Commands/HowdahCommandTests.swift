import Foundation
import TestSupport
import Testing

/// The program itself, without a command.
@Suite struct HowdahCommandTests {
    @Test func theVersionIsThatOfTheChangelog() throws {
        let outcome = try Tool.run("--version", in: ToolFolder())
        let changes = try String(contentsOf: Repository.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let first = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        let version = try #require(first.split(separator: " ").last)
        #expect(outcome.status == 0 && outcome.output == "howdah \(version)\n", "\(first)")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionsArePrinted(shell: String) throws {
        let outcome = try Tool.run("--generate-completion-script", shell, in: ToolFolder())
        #expect(
            outcome.status == 0 && outcome.output.contains("howdah") && outcome.output.contains("rehearse"))
        let help = try Tool.run("--help", in: ToolFolder())
        #expect(help.output.contains("--generate-completion-script"))
    }
}
