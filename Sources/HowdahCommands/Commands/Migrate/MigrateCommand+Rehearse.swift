import ArgumentParser
import Foundation
import HowdahMigration
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Rehearse: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Does the whole migration in one transaction, undoes it, and tells what it took.",
            discussion: """
                On a copy of the database with --clone, or with --live on the store itself, whose tables it locks as the \
                migration does, all stages together, until it is done or --budget is spent. Exit status 2 where rows do \
                not fit, or it came to no end. Handlers are told (ManagedObjectContext.isRehearsal; in SQL, howdah.rehearsal \
                is on) and cancelled when the budget is spent. With --defer, what is done later is rehearsed, too.
                """)

        @OptionGroup var target: MigrationTarget
        @OptionGroup var patience: LockPatience

        var json: Bool { target.json }

        @Option(help: ArgumentHelp("The database of a copy.", valueName: "url"))
        var clone: String?

        @Flag(help: "On the store itself.")
        var live = false

        @Option(
            help: ArgumentHelp(
                "After how many seconds it cancels itself; 10 with --live.", valueName: "seconds"))
        var budget: Double?

        @Flag(help: "Tells nothing about how far it is.")
        var quiet = false

        func validate() throws {
            if live == (clone != nil) { throw ValidationError("Give --clone URL, or --live.") }
            if let budget, !(budget > 0 && budget < 1_000_000) {
                throw ValidationError("--budget is a number of seconds above 0, below 1000000.")
            }
        }

        func perform() throws {
            let limit = budget.map { Duration.seconds($0) } ?? (live ? .seconds(10) : nil)
            let report = try target.withRoute(at: clone, patience: patience) { route in
                if clone != nil { try checkClone(route.connection) }
                guard try route.record() != nil else {
                    throw CommandError(
                        "There is no store in schema '\(route.schemaName)' to rehearse with.",
                        code: "notAStore")
                }
                let report = try MigrateCommand.cancellably(
                    route.connection, clone ?? target.address.url, quiet: quiet
                ) { try route.rehearse(budget: limit, $0) }
                if let report, report.isAbandoned {
                    try write(report)
                    // A handler is still at work with the session: nothing may be tidied up around it.
                    Foundation.exit(MigrateCommand.needsMigration.rawValue)
                }
                return report
            }
            guard let report else {
                return try Output.write(target.json ? "null" : "The store has the model already.")
            }
            try write(report)
            if !report.isClean { throw MigrateCommand.needsMigration }
        }

        private func write(_ report: RehearsalReport) throws {
            try target.json ? Output.write(json: report) : RehearsalText(report).write()
        }

        /// A clone is another database than the one that is named with it, and a store of the same model.
        private func checkClone(_ connection: Connection) throws {
            guard let url = try? target.address.url else { return }
            let original = try StoreAddress.connect(to: url, as: "howdah migrate")
            defer { original.close() }
            if try Self.identity(of: original) == Self.identity(of: connection) {
                throw CommandError(
                    "--clone leads to the database itself; give the URL of a copy, or --live to rehearse on the store."
                )
            }
            let (store, copy) = (try checksum(original), try checksum(connection))
            guard store == copy else {
                throw CommandError(
                    "--clone is no copy of --database: it has \(copy), and the store has \(store). Copy the database again, or "
                        + "leave --database out.")
            }
        }

        private func checksum(_ connection: Connection) throws -> String {
            try StoreRecord(in: target.address.schema, on: connection).map { "the model \($0.checksum)" }
                ?? "no store in schema '\(target.address.schema)'"
        }

        private static func identity(of connection: Connection) throws -> [String] {
            try connection.query(
                "SELECT pg_catalog.current_database()::text || ' ' || pg_catalog.pg_postmaster_start_time()::text "
                    + "|| ' ' || (SELECT oid::text FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())",
                cached: false
            ).map { $0[0].string() }
        }
    }
}
