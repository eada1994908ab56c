import ArgumentParser

/// `howdah model`: looks at models on disk, without a database.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Reads models: those of Xcode, with all their versions, and canonical JSON.",
        discussion: "What a model says and a store does not keep is told on standard error.",
        subcommands: [
            Show.self, Validate.self, Checksum.self, SQL.self, JSON.self, Diagram.self, Generate.self,
            Pull.self, Mapping.self,
        ])
}
