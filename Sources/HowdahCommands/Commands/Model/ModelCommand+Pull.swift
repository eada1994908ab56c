import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import PQClient

extension ModelCommand {
    struct Pull: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads the tables of a database into a model in canonical JSON.",
            discussion: """
                Foreign keys become relationships, tables of links many-to-many ones. What a model cannot say is told on \
                standard error. Of a store that Howdah has made, it is the model the store was made with. \
                Only the catalog is read.
                """)

        @Option(help: "A postgres:// URL or a libpq connection string.")
        var database: String

        @Option(help: "The PostgreSQL schema to read.")
        var schema = "public"

        @Option(name: [.short, .long], help: "A file to write to, instead of standard output.")
        var output: String?

        func validate() throws {
            try StoreAddress.checkDatabase(database)
            try StoreAddress.checkSchema(schema)
        }

        func run() throws {
            let pulled = try CommandError.explained { try DatabaseModel(database, schema: schema) }
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
