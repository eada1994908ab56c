import ArgumentParser
import Foundation
public import HowdahModel
public import HowdahRuntime
public import HowdahStages

extension HowdahCommand {
    /// The version of Howdah, the first one in `CHANGELOG.md`.
    static let version = "0.1.0"

    /// Runs the command that the program was called with, and ends the process where it failed.
    ///
    /// In front of the argument parser: `--version` alone is the program's version, because the commands have an
    /// option of that name, and a word that is no command is called so.
    public static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments == ["--version"] { return try Output.write("howdah \(version)") }
            if let complaint = complaint(ofUnknownCommandIn: arguments) { throw ValidationError(complaint) }
        } catch {
            exit(withError: error)
        }
        if arguments.first == MigrateCommand._commandName, arguments.contains("--json") {
            tellMistakesAsJSON(in: arguments)
        }
        await main(arguments)
    }

    /// Runs the commands with the stages of the program that they are part of, their handlers in Swift included: what
    /// `migrate` does without `--model` and `--plan`.
    ///
    /// - Parameters:
    ///   - plan: The stages.
    ///   - model: The present version, to which `migrate apply` leads.
    ///   - options: What the handlers' store needs, such as value transformers; `--schema` comes from the command line.
    public static func main(
        migrating plan: any SchemaMigrationPlan.Type, model: ManagedObjectModel,
        options: StoreOptions = StoreOptions()
    ) async {
        CompiledPlan.current = CompiledPlan(
            manager: StagedMigrationManager(plan), model: model, options: options)
        await main()
    }

    /// Who asked for JSON has it of wrong arguments, too.
    private static func tellMistakesAsJSON(in arguments: [String]) {
        do {
            _ = try parseAsRoot(arguments)
        } catch  where exitCode(for: error) != .success {
            let report = FailureReport(
                error: FailureReport.Failure(code: "usage", message: message(for: error)),
                status: CommandError.usage)
            try? Output.write(json: report)
            exit(withError: ExitCode(report.status))
        } catch {
            // Help was asked for.
        }
    }

    private static func complaint(ofUnknownCommandIn arguments: [String]) -> String? {
        var group: any ParsableCommand.Type = Self.self
        for argument in arguments {
            let commands = group.configuration.subcommands
            if commands.isEmpty || argument.hasPrefix("-") || argument == "help" { return nil }
            guard let next = commands.first(where: { $0._commandName == argument }) else {
                let names = commands.map { $0._commandName }
                return "Unknown command \"\(argument.printable)\". Use "
                    + names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")."
            }
            group = next
        }
        return nil
    }
}
