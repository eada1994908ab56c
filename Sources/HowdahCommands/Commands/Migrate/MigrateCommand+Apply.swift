import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Apply: AsyncMigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Creates the store or migrates it to the model, each stage in one transaction unless --defer is given.",
            discussion: """
                Progress is printed to standard error. SIGINT and SIGTERM cancel the running statement, and the \
                stage is rolled back. A migration to an earlier version must lose nothing, or you must confirm the \
                loss.
                """)

        @OptionGroup var target: MigrationTarget
        @OptionGroup var patience: LockPatience
        @OptionGroup var consent: MigrationConsent

        @Flag(help: "Prints no progress.")
        var quiet = false

        var json: Bool { target.json }

        func perform() async throws {
            try consent.check(target.address)
            var (left, pending) = (0, 0)
            var model: ManagedObjectModel?
            let plan: StagedMigrationPlan? = try target.withMigration(patience: patience) { migration in
                model = migration.target
                if !quiet { target.address.announce() }
                guard try migration.record() != nil else {
                    try migration.checkTables()
                    return nil
                }
                let work = PendingWork(migration.connection, in: migration.schemaName)
                left = try work.steps().count
                let plan = try MigrateCommand.cancellably(
                    migration.connection, target.address.url, quiet: quiet
                ) { observer in
                    var migration = migration
                    migration.observer = observer
                    return try StoreMigration.withWordForAll { try migration.apply() }
                }
                pending = try work.steps().count
                return plan
            }
            guard let model else { return }
            guard let plan else { return try await make(model) }
            for warning in plan.stages.flatMap(\.plan.warnings) { Output.tell("warning: \(warning)") }
            if target.json { return try Output.write(json: outcome(plan, model, pending)) }
            let rest =
                pending > 0
                ? "; \(pending.counted("step is", "steps are")) left for howdah migrate finish" : ""
            guard !plan.stages.isEmpty else {
                let done = left - pending
                return try Output.write(
                    done > 0
                        ? "finished: \(done.counted("online step", "online steps")) of an earlier run" + rest
                        : "The store already has the model" + (pending > 0 ? rest : "."))
            }
            let steps = plan.stages.reduce(0) { $0 + $1.plan.steps.count } - pending
            let changes = plan.stages.reduce(0) { $0 + $1.plan.changes.count }
            let stages = plan.stages.count == 1 ? "" : "\(plan.stages.count) stages, "
            try Output.write(
                "migrated: \(stages)" + steps.counted("step", "steps") + ", "
                    + changes.counted("change", "changes") + rest)
        }

        private func make(_ model: ManagedObjectModel) async throws {
            let url = try target.address.url
            let isMade = try await CommandError.explained {
                try await NewStore(url, model, schemaName: target.address.schema).make()
            }
            if target.json {
                return try Output.write(json: outcome(isMade ? nil : StagedMigrationPlan(), model, 0))
            }
            try Output.write(isMade ? "created" : "The store already has the model.")
        }

        private func outcome(
            _ plan: StagedMigrationPlan?, _ model: ManagedObjectModel, _ pending: Int
        ) -> ApplyOutcome {
            ApplyOutcome(
                outcome: plan.map { $0.stages.isEmpty ? .current : .migrated } ?? .made,
                version: target.name(of: model), checksum: model.versionChecksum,
                schemaName: target.address.schema, pending: pending, stages: plan?.stages ?? [])
        }
    }
}
