import ArgumentParser
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Plan: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints the steps that the store needs, with their SQL, locks and about how many rows; changes nothing.",
            discussion: """
                Where there is no store, they are those that make it. What a deferred migration has left is done before, and is \
                listed. Exit status 2 where there is something to do, or work is pending that the store relies on.
                """
        )

        @OptionGroup var target: MigrationTarget

        var json: Bool { target.json }

        func perform() throws {
            let report = try target.withRoute { route in
                let rows = try RowEstimates.of(route.schemaName, on: route.connection)
                return Report(
                    pending: try PendingWork(route.connection, in: route.schemaName).steps(),
                    stages: try route.plan().estimated(rows).stages)
            }
            try target.json ? Output.write(json: report) : Output.write(report.text)
            let isIncomplete = report.pending.contains { $0.step.execution == .online }
            if !report.stages.isEmpty || isIncomplete { throw MigrateCommand.needsMigration }
        }

        /// What is printed with --json.
        private struct Report: Encodable {
            let pending: [PendingMigrationStep]
            let stages: [StagedMigrationPlan.Stage]

            var text: String {
                let left = pending.map { "… \($0)".printable }
                guard let first = stages.first else {
                    return (["The store has the model already."] + left).joined(separator: "\n")
                }
                let plan =
                    stages.count == 1 && first.label.isEmpty
                    ? first.plan.description : StagedMigrationPlan(stages: stages).description
                let heading =
                    "first, what an earlier migration left: \(left.count.counted("step", "steps"))"
                return ((left.isEmpty ? [] : [heading] + left) + [plan]).joined(separator: "\n")
            }
        }
    }
}
