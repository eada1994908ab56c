import ArgumentParser

/// `howdah data`: what is in a store.
struct DataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Generates, exports and imports the data of a store.",
        subcommands: [Generate.self, Export.self, Import.self])
}
