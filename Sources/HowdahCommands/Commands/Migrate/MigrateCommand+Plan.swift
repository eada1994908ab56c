import ArgumentParser
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Plan: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints the steps that the store needs, with their SQL, locks and about how many rows; changes nothing."
        )

        @OptionGroup var target: MigrationTarget

        func run() throws {
            let plan = try target.withRoute { route in
                let rows = try RowEstimates.of(route.schemaName, on: route.connection)
                return try route.plan().estimated(rows)
            }
            guard let first = plan.stages.first else {
                return try Output.write(
                    target.json ? "null" : "The store has the model already.")
            }
            let isOne = plan.stages.count == 1 && first.label.isEmpty
            try Output.write(target.json ? plan.json : isOne ? first.plan.description : plan.description)
            throw MigrateCommand.needsMigration
        }
    }

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Makes the store, or migrates it to the model; each stage in one transaction, unless --defer is given.",
            discussion: """
                How far it is, is told on standard error. SIGINT and SIGTERM cancel the statement that runs, and what the \
                stage did is rolled back. To an earlier version leads only what loses nothing, or is confirmed.
                """)

        @OptionGroup var target: MigrationTarget

        @Flag(help: "Tells nothing about how far it is.")
        var quiet = false

        func run() async throws {
            var pending = 0
            let plan: StagedMigrationPlan? = try target.withRoute { route in
                guard try route.record() != nil else { return nil }
                let plan = try MigrateCommand.cancellably(
                    route.connection, target.address.url, quiet: quiet
                ) { try route.apply($0) }
                pending = try PendingWork(route.connection, in: route.schemaName).steps().count
                return plan
            }
            guard let plan else { return try await make() }
            guard !plan.stages.isEmpty else {
                return try Output.write(
                    target.json
                        ? "null"
                        : "The store has the model already"
                            + (pending > 0 ? "; \(pending) more for howdah migrate finish" : "."))
            }
            let steps = plan.stages.reduce(0) { $0 + $1.plan.steps.count } - pending
            let changes = plan.stages.reduce(0) { $0 + $1.plan.changes.count }
            let stages = plan.stages.count == 1 ? "" : "\(plan.stages.count) stages, "
            try Output.write(
                target.json
                    ? plan.json
                    : "migrated: \(stages)" + steps.counted("step", "steps") + ", "
                        + changes.counted("change", "changes")
                        + (pending > 0 ? "; \(pending) more for howdah migrate finish" : ""))
        }

        private func make() async throws {
            let (url, model, schema) = (try target.address.url, try target.model(), target.address.schema)
            try await CommandError.explained { try await NewStore(url, model, schemaName: schema).make() }
            try Output.write(target.json ? "null" : "made")
        }
    }
}
