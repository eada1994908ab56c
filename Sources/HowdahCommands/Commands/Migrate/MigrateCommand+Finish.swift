import ArgumentParser
import Foundation
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Finish: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Does what a deferred migration has left, while the store is in use.",
            discussion: """
                Exit status: 0 nothing is left; 2 there is more to do; 4 rows of the store do not allow some of it, and the \
                rest was done; 5 another program works on the store, or a table could not be locked in time.
                """)

        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: LockPatience

        @Flag(help: "Does one step only.")
        var one = false

        @Flag(help: "Prints JSON.")
        var json = false

        /// What is printed with --json.
        private struct Report: Encodable {
            let pending: [PendingMigrationStep]
        }

        func perform() throws {
            let pending = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                guard try StoreRecord(in: address.schema, on: connection) != nil else {
                    throw CommandError("There is no store in schema '\(address.schema)'.", code: "notAStore")
                }
                var options = MigrationOptions()
                patience.apply(to: &options)
                let runner = DeferredMigrationRunner(
                    connection, schemaName: address.schema, options: options)
                if one { _ = try runner.finishNext() } else { try runner.finish() }
                return try PendingWork(connection, in: address.schema).steps()
            }
            if json {
                try Output.write(json: Report(pending: pending))
            } else {
                let heading = pending.isEmpty ? "finished" : "\(pending.count) more to do"
                try Output.write(
                    ([heading] + pending.map { "… \($0)".printable }).joined(separator: "\n"))
            }
            if !pending.isEmpty { throw MigrateCommand.needsMigration }
        }
    }
}
