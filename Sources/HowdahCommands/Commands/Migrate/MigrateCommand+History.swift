import ArgumentParser
import Foundation
import HowdahMigration
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct History: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the migrations of the store, oldest first: stage, checksums, start, duration, host, role."
        )

        @OptionGroup var address: StoreAddress

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
            let entries = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                try MigrateCommand.limitLockWait(on: connection)
                guard try StoreRecord(in: address.schema, on: connection, for: .reading) != nil else {
                    throw CommandError(
                        "The schema '\(address.schema)' has no store. Check --database and --schema.",
                        code: "notAStore")
                }
                return try LedgerEntry.all(in: address.schema, on: connection)
            }
            if json { return try Output.write(json: entries) }
            if entries.isEmpty { return try Output.write("The store was not migrated yet.") }
            for entry in entries {
                let who = [entry.role, entry.host].compactMap { $0 }.joined(separator: "@")
                let seconds = String(format: "%.3f s", entry.seconds)
                try Output.write(
                    "\(entry.number)  \(entry.began)  \(seconds)  \(entry.fromChecksum.prefix(12)) → \(entry.toChecksum.prefix(12))"
                        .printable + "  \(Int(entry.stepCount).counted("step", "steps"))"
                        + (who.isEmpty ? "" : "  \(who.printable)")
                        + (entry.label.isEmpty ? "" : "  \(entry.label.printable)"))
            }
        }
    }
}
