import ArgumentParser
import Foundation
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Rehearse: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Runs the whole migration in one transaction, rolls it back, and reports durations, rows and locks.",
            discussion: """
                With --clone, the rehearsal runs on a copy of the database. With --live, it runs on the store \
                itself. It locks the tables as the migration does, for all stages together, until it is done or \
                --budget is spent. The exit status is 2 if rows do not fit, or if the rehearsal did not end. \
                Handlers can detect a rehearsal (ManagedObjectContext.isRehearsal; in SQL, howdah.rehearsal is on), \
                and are cancelled when the budget is spent. With --defer, the deferred steps are rehearsed as well.
                """)

        @OptionGroup var target: MigrationTarget
        @OptionGroup var patience: LockPatience

        var json: Bool { target.json }

        @Option(help: ArgumentHelp("The database that is a copy of the store's.", valueName: "url"))
        var clone: String?

        @Flag(help: "Rehearses on the store itself.")
        var live = false

        @Option(
            help: ArgumentHelp(
                "The time after which the rehearsal cancels itself. With --live, defaults to 10 seconds.",
                valueName: "seconds"))
        var budget: Double?

        @Flag(help: "Prints no progress.")
        var quiet = false

        func validate() throws {
            if live == (clone != nil) {
                throw ValidationError(
                    "A rehearsal needs either a copy of the database or the store itself. Give --clone with "
                        + "a URL, or --live.")
            }
            try StoreAddress.checkDatabase(clone, "--clone", isOptional: false)
            if let budget, !(budget > 0 && budget < 1_000_000) {
                throw ValidationError(
                    "--budget is out of range. Use a number of seconds above 0, below 1000000.")
            }
        }

        func perform() throws {
            let limit = budget.map { Duration.seconds($0) } ?? (live ? .seconds(10) : nil)
            let report: RehearsalReport? = try target.withMigration(at: clone, patience: patience) {
                migration in
                if live, !quiet { target.address.announce("Rehearsing on") }
                if clone != nil { try checkClone(migration.connection) }
                guard try migration.record() != nil else {
                    throw CommandError(
                        "The schema '\(migration.schemaName)' has no store to rehearse on. Check --schema and the database.",
                        code: "notAStore")
                }
                if try migration.isDone() { return nil }
                let report = try MigrateCommand.cancellably(
                    migration.connection, clone ?? target.address.url, quiet: quiet
                ) { observer in
                    var migration = migration
                    migration.observer = observer
                    return try StoreMigration.withWordForAll { try migration.rehearse(budget: limit) }
                }
                if report.isAbandoned {
                    try write(report)
                    // A handler is still at work with the session: nothing may be tidied up around it.
                    Foundation.exit(MigrateCommand.needsMigration.rawValue)
                }
                return report
            }
            guard let report else {
                return try Output.write(target.json ? "null" : "The store already has the model.")
            }
            try write(report)
            if !report.isClean { throw MigrateCommand.needsMigration }
        }

        private func write(_ report: RehearsalReport) throws {
            try target.json ? Output.write(json: report) : RehearsalText(report).write()
        }

        private func checkClone(_ connection: Connection) throws {
            guard let url = try? target.address.url else { return }
            let original = try StoreAddress.connect(to: url, as: "howdah migrate")
            defer { original.close() }
            let schema = target.address.schema
            switch try Self.comparison(of: original, with: connection, schema) {
            case .equalModels: break
            case .sameDatabase:
                throw CommandError(
                    "--clone is the database itself. Use the URL of a copy, or --live to rehearse on the store."
                )
            case .otherModel(let store, let copy):
                let (found, wanted) = (Self.words(copy, schema), Self.words(store, schema))
                throw CommandError(
                    "--clone is not a copy of --database: the clone has \(found), and the store has \(wanted). Copy the database again, "
                        + "or omit --database.")
            }
        }

        private static func comparison(
            of original: Connection, with clone: Connection, _ schema: String
        ) throws -> CopyComparison {
            do {
                return try CopyComparison(of: original, with: clone, schemaName: schema)
            } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
                // The record of the clone was read before.
                throw MigrateCommand.failure(
                    of: MigrationError(
                        .missingGrant,
                        "The role of --database has no permission for the store that --clone is compared with. "
                            + "Use a role of --database that can read the store, or omit --database.",
                        databaseError: error))
            }
        }

        private static func words(_ checksum: String?, _ schema: String) -> String {
            checksum.map { "the model \($0)" } ?? "no store in schema '\(schema)'"
        }
    }
}
