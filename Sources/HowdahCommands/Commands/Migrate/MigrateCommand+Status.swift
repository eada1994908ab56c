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
            var state = "current"
            var storeChecksum: String?
            let modelChecksum: String
            var changes: [String] = []
            var stages: [String] = []
            var refusal: String?
            var pending: [PendingMigrationStep] = []
        }

        func perform() throws {
            let report = try target.withMigration(report)
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
            switch report.state {
            case "current" where !report.pending.contains { $0.step.execution == .online }: return
            case "refused": throw ExitCode(3)
            default: throw MigrateCommand.needsMigration
            }
        }

        private func report(_ migration: StoreMigration) throws -> Report {
            var report = Report(modelChecksum: migration.target.versionChecksum)
            guard let record = try migration.record() else {
                report.state = "absent"
                do {
                    let plan = try migration.creation()
                    report.changes =
                        [
                            "howdah migrate apply creates the store: "
                                + "\(plan.steps.count.counted("statement", "statements"))"
                        ] + plan.changes
                } catch let error as MigrationError where error.code == .notAStore {
                    report.refusal = error.message
                }
                return report
            }
            report.storeChecksum = record.checksum
            report.pending = try PendingWork(migration.connection, in: migration.schemaName).steps()
            if migration.target.hasChecksum(record.checksum) { return report }
            do {
                let (plan, refusal) = try migration.previewForCommand()
                report.state = "migratable"
                report.changes = plan.stages.flatMap(\.plan.changes)
                report.stages = plan.stages.map(\.label).filter { !$0.isEmpty }
                if let refusal { throw refusal }
            } catch let error as MigrationError
                where [.notInferable, .unlistedVersion, .newerStore, .missingGrant, .rowSecurity, .unfitData]
                .contains(
                    error.code)
            {
                report.state = "refused"
                report.refusal = error.message
            }
            return report
        }
    }
}
