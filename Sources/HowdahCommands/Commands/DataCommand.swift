import ArgumentParser

/// `howdah data`: what is in a store.
struct DataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Sample data for tests, demos and load.",
        subcommands: [Generate.self])
}
