import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

extension MigrateCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says which model the store has, and what differs from the one given.")

        @OptionGroup var target: Target

        /// What is printed with --json.
        private struct Report: Encodable {
            let state: String
            let storeChecksum: String?
            let modelChecksum: String
            let changes: [String]
            let refusals: [MigrationRefusal]
            var pending: [PendingMigrationStep] = []
        }

        func run() throws {
            let report = try target.withRunner { _, connection in
                let model = try target.model()
                guard let record = try StoreRecord(in: target.schema, on: connection) else {
                    return Report(
                        state: "absent", storeChecksum: nil, modelChecksum: model.versionChecksum,
                        changes: [],
                        refusals: [])
                }
                let stored = try ManagedObjectModel(canonicalJSON: record.model)
                let difference = ModelDifference(
                    from: stored, to: model, confirmedDrops: Set(target.confirmedDrops))
                let isCurrent = record.checksum == model.versionChecksum
                return Report(
                    state: isCurrent ? "current" : difference.refusals.isEmpty ? "migratable" : "refused",
                    storeChecksum: record.checksum, modelChecksum: model.versionChecksum,
                    changes: isCurrent ? [] : difference.changes.map(\.description),
                    refusals: isCurrent ? [] : difference.refusals,
                    pending: try PendingWork(connection, in: target.schema).steps())
            }
            if target.json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                try Output.write(String(decoding: encoder.encode(report), as: UTF8.self))
            } else {
                let heading =
                    "\(report.state)  store \(report.storeChecksum?.prefix(12) ?? "none")  model \(report.modelChecksum.prefix(12))"
                let lines =
                    report.changes.map { "  \($0)" } + report.refusals.map { "! \($0.message)" }
                    + report.pending.map { "… \($0)" }
                try Output.write(([heading] + lines.map(\.printable)).joined(separator: "\n"))
            }
            switch report.state {
            case "current" where !report.pending.contains { $0.step.execution == .online }: return
            case "refused": throw ExitCode(3)
            default: throw MigrateCommand.needsMigration
            }
        }
    }

    struct Plan: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the steps that the store needs, with their SQL and locks; changes nothing.")

        @OptionGroup var target: Target

        func run() throws {
            guard let plan = try target.withRunner({ runner, _ in try runner.plan() }) else {
                return try Output.write(target.json ? "null" : "The store has the model already.")
            }
            try Output.write(target.json ? plan.json : plan.description)
            throw MigrateCommand.needsMigration
        }
    }

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Makes the store, or migrates it to the model; in one transaction, unless --defer is given.")

        @OptionGroup var target: Target

        func run() async throws {
            let (outcome, pending) = try target.withRunner { runner, connection in
                let outcome = try StoreRecord(in: target.schema, on: connection).map { _ in
                    try runner.apply()
                }
                return (outcome, try PendingWork(connection, in: target.schema).steps().count)
            }
            switch outcome {
            case .migrated(let plan):
                try Output.write(
                    target.json
                        ? plan.json
                        : "migrated: \(plan.steps.count - pending) steps, \(plan.changes.count) changes"
                            + (pending > 0 ? "; \(pending) more for howdah migrate finish" : ""))
            case .upToDate: try Output.write(target.json ? "null" : "The store has the model already.")
            case nil:
                var options = StoreOptions()
                options.schemaName = target.schema
                options.maximumConnections = 1
                let (url, model, chosen) = (try target.url, try target.model(), options)
                try await CommandError.explained {
                    let container = try await PersistentContainer.open(url, model: model, options: chosen)
                    await container.close()
                }
                try Output.write(target.json ? "null" : "made")
            }
        }
    }
}
