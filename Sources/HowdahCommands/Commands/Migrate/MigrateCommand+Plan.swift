import ArgumentParser
import HowdahMigration
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Plan: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints the steps that the store needs, with their SQL, locks and approximate row counts; changes nothing.",
            discussion: """
                Without a store, the steps create it. Remaining steps of a deferred migration run first, and \
                are listed. Drops that you must confirm by name, because the store has such values, are at the end. \
                The exit status is 2 if there are steps, or if an interrupted howdah migrate apply --defer has left steps \
                that it should have run itself. In that case, run howdah migrate finish.
                """
        )

        @OptionGroup var target: MigrationTarget

        var json: Bool { target.json }

        func perform() throws {
            let report = try target.withMigration { migration in
                let rows = try RowEstimates.of(migration.schemaName, on: migration.connection)
                let pending = try PendingWork(migration.connection, in: migration.schemaName).steps()
                let (steps, refusal) = try migration.previewForCommand()
                let plan = steps.estimated(rows)
                let work = plan.stages.first.map { GivenUpWork(pending, by: $0.plan) }
                return Report(
                    pending: work?.leftovers ?? pending, givenUp: work?.steps ?? [], stages: plan.stages,
                    unconfirmedDrops: Set(refusal?.refusals.map(\.confirmation) ?? []).sorted(),
                    refusal: refusal?.message)
            }
            try target.json ? Output.write(json: report) : Output.write(report.text.printableLines)
            let isIncomplete = report.pending.contains { $0.step.execution == .online }
            if !report.stages.isEmpty || isIncomplete { throw MigrateCommand.needsMigration }
        }

        /// The report that `--json` prints.
        private struct Report: Encodable {
            let pending: [PendingMigrationStep]
            /// The steps that are not done any more, since the next version does not ask for them.
            let givenUp: [PendingMigrationStep]
            let stages: [StagedMigrationPlan.Stage]
            /// The drops that you must confirm by name before the steps may run.
            let unconfirmedDrops: [String]
            let refusal: String?

            enum CodingKeys: CodingKey { case pending, givenUp, stages, unconfirmedDrops }

            var text: String {
                let left = pending.map { "… \($0)".printable }
                guard let first = stages.first else {
                    return (["The store already has the model."] + left).joined(separator: "\n")
                }
                let plan =
                    stages.count == 1 && first.label.isEmpty
                    ? first.plan.description : StagedMigrationPlan(stages: stages).description
                let heading =
                    "first, \(left.count.counted("step", "steps")) left by an earlier migration:"
                let dropped =
                    "\(givenUp.count.counted("step", "steps")) left by an earlier migration \(givenUp.count == 1 ? "is" : "are") not needed: "
                    + givenUp.map(\.step.reason).joined(separator: ", ").printable
                return
                    ((givenUp.isEmpty ? [] : [dropped]) + (left.isEmpty ? [] : [heading] + left) + [plan]
                    + (refusal.map { ["", $0] } ?? []))
                    .joined(separator: "\n")
            }
        }
    }
}
