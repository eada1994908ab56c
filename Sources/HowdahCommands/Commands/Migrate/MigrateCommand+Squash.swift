import ArgumentParser
import Foundation
import HowdahMigration

extension MigrateCommand {
    struct Squash: AsyncMigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces several stages of a plan with one, if both give the same store.",
            discussion: """
                The command creates two stores of the first version in a scratch database and fills them with the \
                same generated data. It migrates one through the listed stages, and the other through the new stage. \
                If catalogue, checksum and data are then equal, the plan is changed. If not, the differences are \
                listed, the plan stays unchanged, and the exit status is 2. Handlers must not name the schema. \
                Comments of the plan are lost.
                """)

        @Option(
            name: .customLong("plan"), help: ArgumentHelp("The YAML file of the plan.", valueName: "file"),
            completion: .file())
        var planPath: String

        @Option(help: ArgumentHelp("The stages to replace, such as 2-4.", valueName: "numbers"))
        var stages: String

        @Option(
            help: ArgumentHelp("A database in which two schemas are created and dropped.", valueName: "url"))
        var scratch: String

        @Option(
            name: .customLong("with"),
            help: ArgumentHelp(
                "A plan with the one stage that replaces the listed stages. Defaults to an inferred stage.",
                valueName: "file"))
        var replacementPath: String?

        @Option(help: "The number of generated objects of each entity.")
        var count = 20

        @Option(help: "The seed of the generated objects.")
        var seed: UInt64 = 0

        @Flag(help: "Prints JSON.")
        var json = false

        /// What is printed with --json; the stage is there where the plan was changed.
        private struct Report: Encodable {
            let replaced: Int
            let stage: String?
            let differences: [String]
        }

        func validate() throws {
            try StoreAddress.checkDatabase(scratch, "--scratch", isOptional: false)
            if range == nil {
                throw ValidationError(
                    "--stages is not a range. Use two ascending numbers from 1, such as 2-4.")
            }
            if !(1...10_000).contains(count) {
                throw ValidationError("--count is out of range. Use a number from 1 to 10000.")
            }
        }

        private var range: ClosedRange<Int>? {
            let numbers = stages.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 2, let first = numbers[0], let last = numbers[1], first >= 1, first < last
            else { return nil }
            return first...last
        }

        func perform() async throws {
            guard let range else { return }
            let file = try PlanFile(at: planPath)
            guard range.upperBound <= file.stages.count else {
                throw CommandError(
                    "--stages \(stages) names a stage that does not exist: the plan has "
                        + "\(file.stages.count.counted("stage", "stages")). Use the numbers of existing "
                        + "stages.",
                    code: "usage", status: CommandError.usage)
            }
            let old = Array(file.stages[(range.lowerBound - 1)...(range.upperBound - 1)])
            let replacement = try replacement(of: old, in: file)
            let trial = SquashTrial(
                file: file, url: scratch, seed: seed, count: count)
            let differences = try await CommandError.explained {
                try await trial.differences(between: old, and: [replacement])
            }
            guard differences.isEmpty else {
                if json {
                    try Output.write(json: Report(replaced: 0, stage: nil, differences: differences))
                    throw MigrateCommand.needsMigration
                }
                try Output.write(differences.map { "! \($0)".printable }.joined(separator: "\n"))
                throw MigrateCommand.needsMigration
            }
            var stages = file.stages
            stages.replaceSubrange((range.lowerBound - 1)...(range.upperBound - 1), with: [replacement])
            let text = PlanFile.text(of: stages)
            try CommandError.writing(planPath) {
                try Data(text.utf8).write(to: URL(filePath: planPath), options: .atomic)
            }
            if json {
                return try Output.write(
                    json: Report(replaced: old.count, stage: replacement.title, differences: []))
            }
            try Output.write("\(old.count) stages were replaced by one: \(replacement.title)".printable)
        }

        private func replacement(of old: [PlanFile.Stage], in file: PlanFile) throws -> PlanFile.Stage {
            let ends = [
                old[0].versions[0], old[old.count - 1].versions[old[old.count - 1].versions.count - 1],
            ]
            if let replacementPath {
                let file = try PlanFile(at: replacementPath)
                guard file.stages.count == 1, let stage = file.stages.first else {
                    throw CommandError(
                        "The replacement \(replacementPath) has \(file.stages.count) stages instead of one. "
                            + "Use a plan with one stage.")
                }
                return PlanFile.Stage(
                    label: stage.label, kind: stage.kind, versions: ends, willMigrate: stage.willMigrate,
                    didMigrate: stage.didMigrate, confirmedDrops: stage.confirmedDrops,
                    mapping: stage.mapping?.moved(
                        from: file.url.deletingLastPathComponent(), beside: URL(filePath: planPath)), line: 0)
            }
            let inferred = MigrationPath.ListedStage(
                replacing: try old.map { try file.listedStage($0, "public") })
            return PlanFile.Stage(
                label: nil, kind: inferred.kind, versions: ends, willMigrate: nil, didMigrate: nil,
                confirmedDrops: inferred.confirmedDrops.sorted(), line: 0)
        }
    }
}
