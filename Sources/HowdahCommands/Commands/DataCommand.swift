import ArgumentParser

/// `howdah data`: what is in a store.
struct DataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Data of a store: samples, export and import.",
        subcommands: [Generate.self, Export.self, Import.self])
}
