public import ArgumentParser

/// The commands of `howdah` as a value, so that a program can offer them under its own name.
///
/// Exit status: 0 done, 1 refused or failed (the reason is on standard error), 64 wrong arguments; `migrate` has more.
public struct HowdahCommand: AsyncParsableCommand {
    /// The name and the subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "howdah",
        abstract: "Tools for Howdah, an object graph and persistence library on PostgreSQL.",
        discussion: """
            For completions in your shell, run 'howdah --generate-completion-script bash' (or zsh, fish) and load \
            the script that it prints.
            """,
        subcommands: [
            DatabaseCommand.self, ModelCommand.self, MigrateCommand.self, StoreCommand.self, DataCommand.self,
            HistoryCommand.self, PredicateCommand.self, BrowseCommand.self,
        ])

    /// Called by the argument parser.
    public init() {}
}
