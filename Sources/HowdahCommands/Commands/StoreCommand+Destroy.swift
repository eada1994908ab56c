import ArgumentParser
import Foundation
import HowdahRuntime

extension StoreCommand {
    struct Destroy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a store: its tables with all rows, and nothing of other programs.",
            discussion: """
                All of it goes in one transaction, or nothing. Views and tables of other programs that depend on the store are \
                named, and nothing is done. Over tables of another program only the store's record goes. A schema other than \
                public that is empty then goes along, if the role may make it again.
                """)

        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: Patience
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let url = try address.url
            let options = StoreCommand.options(schema: address.schema)
            let gone = try await StoreCommand.explained {
                let metadata = try await PersistentContainer.metadata(at: url, options: options)
                let identifier = try confirmation.check(metadata, in: address.schema, "destroys")
                return try await PersistentContainer.removeStore(
                    at: url, options: options, expecting: identifier, endingSessions: patience.endSessions,
                    waiting: patience.duration)
            }
            let id = gone.identifier.uuidString.lowercased()
            try Output.write(
                "destroyed  \(id)  \(gone.tables.count.counted("table", "tables"))"
                    + (gone.hasDroppedSchema ? " and the schema" : ""))
        }
    }
}
