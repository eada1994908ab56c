import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Verify: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compares the store's tables with the model that it says it has.",
            discussion: """
                The model's tables are made in a schema of their own and rolled back, which needs the right to create \
                schemas; --scratch names another database for that. Exit status 2 where something is missing or different. \
                Other tables and more plain indexes are named, and count with --strict. Whoever migrates the store is waited \
                for: exit status 5 where that takes longer than --wait.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            help: ArgumentHelp("A database to make the model's tables in, and roll back.", valueName: "url"))
        var scratch: String?

        @Option(
            help: ArgumentHelp("How long to wait for a migration, or a lock.", valueName: "seconds"))
        var wait = 5.0

        @Flag(help: "Counts what is beside the model, too.")
        var strict = false

        @Flag(help: "Prints JSON.")
        var json = false

        func validate() throws {
            guard wait >= 0, wait < 1_000_000 else {
                throw ValidationError("--wait is a number of seconds from 0, below 1000000.")
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
            try DriftReport(drift, fine: "The tables are what the model makes.").write(json: json)
            if !isFine { throw MigrateCommand.needsMigration }
        }

        private func compare(_ connection: Connection) throws -> StoreDrift {
            guard let record = try StoreRecord(in: address.schema, on: connection) else {
                throw CommandError("There is no store in schema '\(address.schema)'.", code: "notAStore")
            }
            let pending = try PendingWork(connection, in: address.schema).steps().count
            guard pending == 0 else {
                throw CommandError(
                    "A deferred migration has left \(pending.counted("step", "steps")), without which the tables are not "
                        + "what the model makes; run howdah migrate finish first.")
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
            abstract: "Makes a store of tables that are there already and are what the model makes.",
            discussion: """
                For tables that a script made, or that were restored without the store's own. Where something is missing \
                or different it is listed, nothing is done, and the exit status is 2. The model's tables are made in a \
                schema of their own for comparison, and rolled back; --scratch names another database for that.
                """)

        @OptionGroup var store: StorePlace

        @Option(
            help: ArgumentHelp("A database to make the model's tables in, and roll back.", valueName: "url"))
        var scratch: String?

        @Flag(name: .customLong("dry-run"), help: "Compares only.")
        var dryRun = false

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
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
                if drift.differences.isEmpty, !dryRun { try baseline.adopt() }
                return drift
            }
            try DriftReport(
                drift,
                fine: dryRun
                    ? "The tables are what the model makes." : "The tables are a store of the model now."
            ).write(json: json)
            if !drift.differences.isEmpty { throw MigrateCommand.needsMigration }
        }
    }
}
