import ArgumentParser

/// `howdah predicate`: formats, one or a file of them.
struct PredicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicate",
        abstract:
            "Checks predicate formats against a model, and prints their SQL.",
        subcommands: [Parse.self, Check.self, SQL.self, Explain.self])
}
