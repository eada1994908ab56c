import ArgumentParser
import HowdahMigration
import HowdahModelFile
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
            try StoreAddress.checkDatabase(scratch, "--scratch")
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
            let other = try scratch.map { try StoreAddress.connect(to: $0, as: "howdah migrate") }
            defer { other?.close() }
            do {
                return try StoreVerification(connection, schemaName: address.schema).drift(scratch: other)
            } catch let error as MigrationError where error.code == .unfinished {
                // Its exit status is for rows that do not fit.
                throw CommandError(error.message)
            }
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

        func validate() throws { try StoreAddress.checkDatabase(scratch, "--scratch") }

        func perform() throws {
            if !dryRun { try consent.check(store.address) }
            let drift = try MigrateCommand.explained {
                let contents = try CommandError.asArgument { try store.model.contents() }
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
