import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile

extension MigrateCommand {
    struct New: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a stage to a plan file, from one version of a model to another.",
            discussion: """
                The plan is created if it does not exist; its other stages stay unchanged. The command prints the \
                inferred changes of the stage. If they cannot be inferred, the stage is still written, so that you \
                can add handlers and confirmedDrops, and the exit status is 3.
                """)

        @Option(
            name: .customLong("plan"), help: ArgumentHelp("The YAML file of the plan.", valueName: "file"),
            completion: .file())
        var planPath: String

        @Option(name: .customLong("model"), help: ModelChoice.pathHelp, completion: .file())
        var path: String

        @Option(help: ArgumentHelp("The version that the stage migrates from.", valueName: "version"))
        var from: String

        @Option(
            help: ArgumentHelp(
                "The version that the stage migrates to. Defaults to the current one.", valueName: "version"))
        var to: String?

        @Option(
            name: .customLong("from-model"),
            help: ArgumentHelp(
                "The model file that has the --from version, if it is not the --model file.",
                valueName: "path")
        )
        var fromPath: String?

        @Option(help: "The label of the stage in plans and in the ledger.")
        var label: String?

        @Option(
            name: .customLong("confirm-drop"),
            help: ArgumentHelp(
                "An entity or Entity.property whose values may be dropped. Repeat the option for each.",
                valueName: "name"))
        var confirmedDrops: [String] = []

        @Flag(help: "Prints JSON.")
        var json = false

        /// What is printed with --json.
        private struct Report: Encodable {
            let plan: String
            let stage: String
            let steps: Int
            let changes: [String]
        }

        func perform() throws {
            try MigrateCommand.explained {
                let url = URL(filePath: planPath)
                let (first, old) = try firstVersion(beside: url)
                let (second, new) = try version(to, of: path, beside: url)
                guard old.versionChecksum != new.versionChecksum else {
                    throw CommandError(
                        "The versions \(first.name) and \(second.name) are stored alike, so no stage is needed. Choose two different versions."
                    )
                }
                let unknown = DropConfirmations(confirmedDrops, along: [old, new]).unknown
                guard unknown.isEmpty else {
                    throw ValidationError(UnknownNames.complaint(of: unknown, "--confirm-drop", 2))
                }
                let stage = PlanFile.Stage(
                    label: label, kind: confirmedDrops.isEmpty ? .lightweight : .custom,
                    versions: [first, second], willMigrate: nil, didMigrate: nil,
                    confirmedDrops: confirmedDrops, line: 0)
                let text = FileManager.default.contents(atPath: planPath).map {
                    String(decoding: $0, as: UTF8.self)
                }
                let changed = try PlanFile.adding(stage, to: text, at: url)
                _ = try PlanFile(changed, at: url).path(schemaName: "public")
                try CommandError.writing(planPath) { try Data(changed.utf8).write(to: url, options: .atomic) }
                if !json { try Output.write("\(planPath): \(stage.title)".printable) }
                let plan = try MigrationPlan(
                    from: old, to: new, confirmedDrops: Set(confirmedDrops))
                if json {
                    return try Output.write(
                        json: Report(
                            plan: planPath, stage: stage.title, steps: plan.steps.count,
                            changes: plan.changes))
                }
                try Output.write(
                    plan.steps.count.counted("step", "steps") + ", "
                        + plan.changes.count.counted("change", "changes"))
                for change in plan.changes { try Output.write("  \(change)".printable) }
            }
        }

        private func firstVersion(beside plan: URL) throws -> (PlanFile.Version, ManagedObjectModel) {
            do {
                return try version(from, of: fromPath ?? path, beside: plan)
            } catch let error as CommandError
                where fromPath == nil && error.failure.code == ModelFileError.Code.unknownVersion.description
            {
                throw CommandError(
                    error.failure.message
                        + " If another file has that version, name the file with --from-model.",
                    code: error.failure.code, status: error.status)
            }
        }

        private func version(
            _ name: String?, of path: String, beside plan: URL
        ) throws -> (PlanFile.Version, ManagedObjectModel) {
            let (file, model) = try CommandError.asArgument {
                let file = try ModelFile(at: URL(filePath: path))
                return (file, try file.contents(version: name).model)
            }
            let version = name ?? file.currentVersion
            return (
                PlanFile.Version(
                    model: relativePath(path, to: plan.deletingLastPathComponent()),
                    version: file.versions.count > 1 || file.url.pathExtension == "xcdatamodeld"
                        ? version : nil,
                    checksum: model.versionChecksum), model
            )
        }
    }
}
