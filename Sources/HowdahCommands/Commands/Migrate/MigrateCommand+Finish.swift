import ArgumentParser
import Foundation
import HowdahMigration
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Finish: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Runs the remaining steps of a deferred migration while the store is in use.",
            discussion: """
                Progress, and the sessions that block it, are printed to standard error. SIGINT and SIGTERM cancel \
                the running statement, and completed steps stay. Exit status: 0 nothing is left; 2 steps are left; 4 \
                rows of the store, or objects that another program created on its tables, prevent some steps, and \
                the others are done; 5 another program works on the store, or a table could not be locked in time.
                """)

        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: LockPatience
        @OptionGroup var consent: MigrationConsent

        @Flag(help: "Runs only one step.")
        var one = false

        @Flag(help: "Prints JSON.")
        var json = false

        @Flag(help: "Prints no progress.")
        var quiet = false

        /// What is printed with --json.
        private struct Report: Encodable {
            let pending: [PendingMigrationStep]
        }

        func perform() throws {
            try consent.check(address)
            let pending = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                guard try StoreRecord(in: address.schema, on: connection, for: .writing) != nil else {
                    throw CommandError(
                        "The schema '\(address.schema)' has no store. Check --database and --schema.",
                        code: "notAStore")
                }
                var options = MigrationOptions()
                patience.apply(to: &options)
                let work = PendingWork(connection, in: address.schema)
                if !quiet { address.announce() }
                let before = try work.steps()
                return try MigrateCommand.cancellably(
                    connection, address.url, quiet: quiet,
                    aftermath: {
                        Self.aftermath(
                            of: before, left: try work.steps(), halfBuilt: try work.halfBuiltIndexes())
                    }
                ) { observer in
                    var deferred = DeferredWork(
                        connection, schemaName: address.schema, options: options)
                    deferred.observer = observer
                    if one { _ = try deferred.finishNext() } else { try deferred.finish() }
                    return try work.steps()
                }
            }
            if json {
                try Output.write(json: Report(pending: pending))
            } else {
                let heading = pending.isEmpty ? "finished" : "\(pending.count.counted("step", "steps")) left"
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
                "\(done.count.counted("step", "steps")) done, \(left.count) pending. "
                + (left.isEmpty ? "The migration is finished." : "Run howdah migrate finish to continue.")
            return
                ([heading]
                + halfBuilt.map {
                    "The half-built index \($0) could not be dropped because of another transaction. Queries do not use the "
                        + "index, but every write updates it. Run howdah migrate finish to build it again."
                } + done.map { "done     \($0.step.reason)" }
                + left.map { "pending  \($0.step.reason)" })
                .joined(separator: "\n")
        }
    }
}
