import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import PQClient

extension ModelCommand {
    struct Pull: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a model in canonical JSON from the tables of a database.",
            discussion: """
                Foreign keys become relationships, and tables of only two foreign keys become many-to-many \
                relationships. Parts of the schema that a model cannot express are reported on standard error. For a \
                store that Howdah created, the result is the store's own model. The command reads only the catalog.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            name: [.short, .long], help: "The file to write. Defaults to standard output.",
            completion: .file())
        var output: String?

        func run() throws {
            let url = try address.url
            let pulled = try CommandError.explained { try DatabaseModel(url, schema: address.schema) }
            if let output {
                try CommandError.writing(output) {
                    try Data((pulled.model.canonicalJSON + "\n").utf8).write(to: URL(filePath: output))
                }
            } else {
                try Output.write(pulled.model.canonicalJSON)
            }
            for note in pulled.notes { Output.tell("note: \(note)") }
        }
    }
}
