import ArgumentParser
import Foundation
import HowdahRuntime

extension StoreCommand {
    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a store a copy of another one, or makes the copy where there is no store.",
            discussion: """
                The old store is removed and the copy made in one transaction. The source is read in one snapshot, and may be in \
                use. The copy has the source's model, objects, keys, metadata and history of migrations, and an id of its own. \
                Roles keep their rights by the names of tables.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            help: ArgumentHelp("The source's database; the same one where none is given.", valueName: "url"))
        var from: String?

        @Option(help: "The PostgreSQL schema the source is in.")
        var fromSchema = "public"

        @OptionGroup var patience: Patience
        @OptionGroup var confirmation: Confirmation

        func validate() throws {
            if from?.isEmpty == true {
                throw ValidationError("--from is empty; give a URL, or leave it out.")
            }
            try StoreAddress.checkSchema(fromSchema)
            if from == nil, fromSchema == address.schema {
                throw ValidationError("Give --from or --from-schema, so that the source is another store.")
            }
        }

        func run() async throws {
            let url = try address.url
            let options = StoreCommand.options(schema: address.schema)
            let made = try await StoreCommand.explained {
                var identifier: UUID?
                do {
                    let metadata = try await PersistentContainer.metadata(at: url, options: options)
                    identifier = try confirmation.check(metadata, in: address.schema, "replaces")
                } catch let error as StoreError where error.code == .notAStore {
                    // There is nothing to lose.
                }
                return try await PersistentContainer.copyStore(
                    to: url, options: options, from: from ?? url,
                    sourceOptions: StoreCommand.options(schema: fromSchema), expecting: identifier,
                    endingSessions: patience.endSessions, waiting: patience.duration)
            }
            let id = made.identifier.uuidString.lowercased()
            try Output.write(
                "\(made.isNew ? "made" : "replaced")  \(id)  \(made.tables.counted("table", "tables")), "
                    + made.rows.counted("row", "rows"))
        }
    }
}
