import ArgumentParser

/// `howdah predicate`: formats, one or a file of them.
struct PredicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicate",
        abstract:
            "Formats of predicates: are they right, do they fit a model, and what does the database get?",
        subcommands: [Parse.self, Check.self, SQL.self, Explain.self])
}
