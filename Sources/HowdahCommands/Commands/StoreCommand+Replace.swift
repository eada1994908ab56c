import ArgumentParser
import Foundation
import HowdahRuntime

extension StoreCommand {
    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Replaces a store with a copy of another one, or creates the copy if the store does not exist.",
            discussion: """
                The old store is removed and the copy created in one transaction. The source is read in one snapshot \
                and may be in use. The copy has the source's model, objects, keys, metadata and migration history, \
                but a new id. Roles keep their rights on tables of the same names.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            help: ArgumentHelp(
                "The database of the source. Defaults to the database of the store.", valueName: "url")
        )
        var from: String?

        @Option(help: "The PostgreSQL schema of the source.")
        var fromSchema = "public"

        @OptionGroup var patience: Patience
        @OptionGroup var confirmation: Confirmation

        func validate() throws {
            try StoreAddress.checkDatabase(from, "--from")
            try StoreAddress.checkSchema(fromSchema)
            if from == nil, fromSchema == address.schema {
                throw ValidationError(
                    "The source is the store itself. Set --from or --from-schema to another store.")
            }
        }

        func run() async throws {
            let url = try address.url
            let options = StoreCommand.options(schema: address.schema)
            let made = try await StoreCommand.explained {
                var identifier: UUID?
                do {
                    let metadata = try await PersistentContainer.metadata(at: url, options: options)
                    identifier = try confirmation.check(metadata, in: address, "replaces")
                } catch let error as StoreError where error.code == .notAStore {
                    // There is nothing to lose.
                }
                address.announce()
                return try await PersistentContainer.copyStore(
                    to: url, options: options, from: from ?? url,
                    sourceOptions: StoreCommand.options(schema: fromSchema), expecting: identifier,
                    endingSessions: patience.endSessions, waiting: patience.duration)
            }
            let id = made.identifier.uuidString.lowercased()
            try Output.write(
                "\(made.isNew ? "created" : "replaced")  \(id)  \(made.tables.counted("table", "tables")), "
                    + made.rows.counted("row", "rows"))
        }
    }
}
