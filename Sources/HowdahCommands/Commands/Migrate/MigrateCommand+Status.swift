import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahSchema
import PQClient

extension MigrateCommand {
    struct Status: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reports the store's model, and its differences from the given one.")

        @OptionGroup var target: MigrationTarget

        var json: Bool { target.json }

        /// What is printed with --json.
        private struct Report: Encodable {
            let state: String
            var storeChecksum: String?
            let modelChecksum: String
            var changes: [String] = []
            var stages: [String] = []
            var refusal: String?
            var pending: [PendingMigrationStep] = []
        }

        func perform() throws {
            let (report, isUpToDate) = try target.withMigration(report)
            if target.json {
                try Output.write(json: report)
            } else {
                let heading =
                    "\(report.state)  store \(report.storeChecksum?.prefix(12) ?? "none")  model \(report.modelChecksum.prefix(12))"
                let lines =
                    report.changes.map { "  \($0)" } + report.stages.map { "stage  \($0)" }
                    + report.pending.map { "… \($0)" }
                    + (report.refusal.map { "! \($0)" }?.split(separator: "\n").map(String.init) ?? [])
                try Output.write(([heading] + lines.map(\.printable)).joined(separator: "\n"))
            }
            if isUpToDate { return }
            throw report.state == MigrationStatus.State.refused.rawValue
                ? ExitCode(3) : MigrateCommand.needsMigration
        }

        private func report(_ migration: StoreMigration) throws -> (Report, isUpToDate: Bool) {
            let status = try StoreMigration.withWordForAll(migration.status)
            var report = Report(
                state: status.state.rawValue, storeChecksum: status.checksum,
                modelChecksum: migration.target.versionChecksum,
                changes: status.plan.stages.flatMap(\.plan.changes),
                refusal: status.refusal.map { StoreMigration.withWordForAll($0).message },
                pending: status.pending)
            if status.state != .absent {
                report.stages = status.plan.stages.map(\.label).filter { !$0.isEmpty }
            } else if let creation = status.plan.stages.first?.plan {
                report.changes.insert(
                    "howdah migrate apply creates the store: "
                        + "\(creation.steps.count.counted("statement", "statements"))", at: 0)
            }
            return (report, status.isUpToDate)
        }
    }
}
