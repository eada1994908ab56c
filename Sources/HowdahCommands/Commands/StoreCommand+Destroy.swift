import ArgumentParser
import Foundation
import HowdahRuntime

extension StoreCommand {
    struct Destroy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroys a store: its tables with all rows, and nothing of other programs.",
            discussion: """
                The store is removed in one transaction. If views or tables of other programs depend on it, the \
                error lists them and nothing is removed. If the store uses the tables of another program, only the \
                store's record is removed. The schema is dropped as well if it is then empty, if it is not public, \
                and if the role may create it again.
                """)

        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: Patience
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let url = try address.url
            let options = StoreCommand.options(schema: address.schema)
            let gone = try await StoreCommand.explained {
                let metadata = try await PersistentContainer.metadata(at: url, options: options)
                let identifier = try confirmation.check(metadata, in: address, "destroys")
                address.announce()
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
