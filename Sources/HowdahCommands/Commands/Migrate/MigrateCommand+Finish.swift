import ArgumentParser
import Foundation
import HowdahMigration
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Finish: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Does what a deferred migration has left, while the store is in use.",
            discussion: """
                How far it is, and whom it waits for, is told on standard error. SIGINT and SIGTERM cancel the statement that \
                runs; what was done stays. Exit status: 0 nothing is left; 2 there is more to do; 4 rows of the store, or what \
                others made on its tables, do not allow some of it, and the rest was done; 5 another program works on the \
                store, or a table could not be locked in time.
                """)

        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: LockPatience

        @Flag(help: "Does one step only.")
        var one = false

        @Flag(help: "Prints JSON.")
        var json = false

        @Flag(help: "Tells nothing about how far it is.")
        var quiet = false

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
                let work = PendingWork(connection, in: address.schema)
                let before = try work.steps()
                return try MigrateCommand.cancellably(
                    connection, address.url, quiet: quiet,
                    aftermath: {
                        Self.aftermath(
                            of: before, left: try work.steps(), halfBuilt: try work.halfBuiltIndexes())
                    }
                ) { observer in
                    var runner = DeferredMigrationRunner(
                        connection, schemaName: address.schema, options: options)
                    runner.observer = observer
                    if one { _ = try runner.finishNext() } else { try runner.finish() }
                    return try work.steps()
                }
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

        /// What was done before a signal came, and what was not.
        private static func aftermath(
            of before: [PendingMigrationStep], left: [PendingMigrationStep], halfBuilt: [String]
        ) -> String {
            let done = before.filter { step in !left.contains { $0.number == step.number } }
            let heading =
                "\(done.count.counted("step", "steps")) done, \(left.count) pending; "
                + (left.isEmpty ? "the migration is finished." : "howdah migrate finish goes on.")
            return
                ([heading]
                + halfBuilt.map {
                    "The half-built index \($0) could not be dropped, as another transaction was in the way; it is of no use "
                        + "and kept up with every write until howdah migrate finish begins it anew."
                } + done.map { "done     \($0.step.reason)" }
                + left.map { "pending  \($0.step.reason)" })
                .joined(separator: "\n")
        }
    }
}
