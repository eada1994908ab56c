import ArgumentParser

/// `howdah model`: looks at models on disk, without a database.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Reads models: Xcode's models, with all their versions, and canonical JSON.",
        discussion: "Settings of a model that have no effect in a store are reported on standard error.",
        subcommands: [
            Show.self, Validate.self, Checksum.self, SQL.self, JSON.self, Diagram.self, Generate.self,
            Pull.self, Mapping.self,
        ])
}
