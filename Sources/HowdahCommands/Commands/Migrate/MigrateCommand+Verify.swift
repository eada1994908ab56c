import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Verify: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compares the store's tables with the model that the store records.",
            discussion: """
                The model's tables are created in a separate schema and rolled back, which needs the right to create \
                schemas. Use --scratch to create them in another database. The exit status is 2 if something is \
                missing or different. Other tables and additional plain indexes are listed, and are differences only \
                with --strict. The command waits for a running migration. If that takes longer than --wait, the exit \
                status is 5.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            help: ArgumentHelp(
                "A database in which the model's tables are created and rolled back.", valueName: "url"))
        var scratch: String?

        @Option(
            help: ArgumentHelp("The time to wait for a migration or a lock.", valueName: "seconds"))
        var wait = 5.0

        @Flag(help: "Counts other tables and additional indexes as differences.")
        var strict = false

        @Flag(help: "Prints JSON.")
        var json = false

        func validate() throws {
            guard wait >= 0, wait < 1_000_000 else {
                throw ValidationError(
                    "--wait is out of range. Use a number of seconds from 0, below 1000000.")
            }
        }

        func perform() throws {
            let drift = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                let progress = MigrationProgress()
                return try RunningMigration(in: address.schema, on: connection)
                    .whenOver(within: .seconds(wait), progress.tell) { try compare(connection) }
            }
            let isFine = drift.differences.isEmpty && (!strict || drift.additions.isEmpty)
            try DriftReport(drift, fine: "The tables match the model.").write(json: json)
            if !isFine { throw MigrateCommand.needsMigration }
        }

        private func compare(_ connection: Connection) throws -> StoreDrift {
            guard let record = try StoreRecord(in: address.schema, on: connection, for: .reading) else {
                throw CommandError(
                    "The schema '\(address.schema)' has no store. Check --database and --schema.",
                    code: "notAStore")
            }
            guard !record.format.isOverExistingTables else {
                throw CommandError(
                    "The tables in schema '\(address.schema)' belong to another program, so they have no recorded "
                        + "model to compare. Open the store in a program with StoreOptions.existingTables, which compares "
                        + "the tables with its model.", code: "notAStore")
            }
            let pending = try PendingWork(connection, in: address.schema).steps().count
            guard pending == 0 else {
                throw CommandError(
                    "A deferred migration has left \(pending.counted("step", "steps")), so the tables do not match the model yet. "
                        + "Run howdah migrate finish first.")
            }
            let model = try ManagedObjectModel(canonicalJSON: record.model)
            let other = try scratch.map { try StoreAddress.connect(to: $0, as: "howdah migrate") }
            defer { other?.close() }
            return StoreDrift(
                try StoreCatalogue.actual(address.schema, on: connection),
                expected: try StoreCatalogue.expected(
                    of: model, schemaName: address.schema, on: other ?? connection))
        }
    }

    struct Baseline: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a store of existing tables that match the model.",
            discussion: """
                Use the command for tables that a script created, or that were restored without the store's \
                own tables. If something is missing or different, it is listed, nothing is changed, and the \
                exit status is 2. For the comparison, the model's tables are created in a separate schema \
                and rolled back. Use --scratch to create them in another database.
                """)

        @OptionGroup var store: StorePlace

        @Option(
            help: ArgumentHelp(
                "A database in which the model's tables are created and rolled back.", valueName: "url"))
        var scratch: String?

        @OptionGroup var consent: MigrationConsent

        @Flag(name: .customLong("dry-run"), help: "Compares the tables without making a store.")
        var dryRun = false

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
            if !dryRun { try consent.check(store.address) }
            let drift = try MigrateCommand.explained {
                let contents = try MigrationTarget.asArgument { try store.model.contents() }
                contents.tellWarnings()
                let connection = try store.address.connect(as: "howdah migrate")
                defer { connection.close() }
                let other = try scratch.map { try StoreAddress.connect(to: $0, as: "howdah migrate") }
                defer { other?.close() }
                let baseline = StoreBaseline(
                    connection, model: contents.model, schemaName: store.address.schema)
                let drift = try baseline.drift(scratch: other)
                if drift.differences.isEmpty, !dryRun {
                    store.address.announce()
                    try baseline.adopt()
                }
                return drift
            }
            try DriftReport(
                drift,
                fine: dryRun
                    ? "The tables match the model." : "The tables are now a store of the model."
            ).write(json: json)
            if !drift.differences.isEmpty { throw MigrateCommand.needsMigration }
        }
    }
}
