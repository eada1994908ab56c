import Foundation
import HowdahJSON
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import PQClient
import Synchronization

/// Compares two rows of stages of a plan on stores with the same generated objects.
struct SquashTrial {
    let file: PlanFile
    /// The scratch database.
    let url: String
    let seed: UInt64
    let count: Int

    /// Returns the differences in words; none if both give the same store.
    ///
    /// - Throws: `CommandError` if a migration fails; other errors of both stores.
    func differences(between one: [PlanFile.Stage], and other: [PlanFile.Stage]) async throws -> [String] {
        do {
            return try await PathComparison(contents) {
                try StoreAddress.connect(to: url, as: "howdah migrate")
            }.differences(
                between: candidate("the listed stages", one), and: candidate(Self.newStage, other))
        } catch let failure as PathComparison.Failure {
            let (name, error) = (failure.candidate, failure.error)
            if !error.refusals.isEmpty { throw Self.unconfirmed(error, with: name) }
            let place = "\(error)".hasSuffix(".") ? "" : "."
            throw CommandError(
                Self.failure(error, "With \(name): \(error.message)"),
                text:
                    "The trial with \(name) failed: \(error)\(place)\nThe plan is unchanged. The trial used generated objects "
                    + "(--count \(count), --seed \(seed)), which may lack values that a stage needs. "
                    + "Use another --seed or --count, or keep the stages.")
        }
    }

    private static let newStage = "the new stage"

    /// The command has no option that confirms a drop: the plan does, or the file of the new stage.
    private static func unconfirmed(_ error: MigrationError, with name: String) -> CommandError {
        let isLoss = error.refusals.allSatisfy(\.isLoss)
        let names = Set(error.refusals.map(\.confirmation)).sorted()
        let message =
            "The trial with \(name) failed, because "
            + (isLoss
                ? "it would drop values without confirmation:\n" : "the migration cannot be inferred:\n")
            + error.refusals.map { "- \($0.message)\n" }.joined()
            + "The plan is unchanged. "
            + (name == newStage
                ? "Pass a new stage with --with FILE that moves these values, or keep the stages. If they may be dropped, "
                    + "add this to the stage in that file:\n"
                : "If these values may be dropped, add this to the stage that drops them:\n")
            + "confirmedDrops: [\(names.joined(separator: ", "))]"
        return CommandError(failure(error, message), text: message)
    }

    /// The failure for programs, with a message that names the candidate.
    private static func failure(_ error: MigrationError, _ message: String) -> FailureReport.Failure {
        var failure = FailureReport.Failure(error, message: message)
        failure.message = message
        return failure
    }

    private func candidate(_ name: String, _ stages: [PlanFile.Stage]) -> PathComparison.Candidate {
        PathComparison.Candidate(name) { schemaName in
            try MigrationPath(stages.map { try file.listedStage($0, schemaName) })
        }
    }

    /// The text that an export writes.
    private final class Text: Sendable {
        private let data = Mutex(Data())

        var all: String { String(decoding: data.withLock { $0 }, as: UTF8.self) }

        func append(_ more: Data) { data.withLock { $0.append(more) } }
    }

    private var contents: PathComparison.Contents {
        PathComparison.Contents { model, schemaName in
            try await withStore(model, schemaName) { container in
                _ = try await SampleData(model: model, seed: seed, countPerEntity: count).insert(
                    into: container)
            }
        } lines: { model, schemaName in
            let text = Text()
            try await withStore(model, schemaName) { container in
                _ = try await container.exportGraph(GraphExport()) { text.append($0) }
            }
            return text.all.split(separator: "\n").map(String.init)
        }
    }

    private func withStore(
        _ model: ManagedObjectModel, _ schemaName: String, _ body: (PersistentContainer) async throws -> Void
    ) async throws {
        let container = try await NewStore(url, model, schemaName: schemaName).open()
        do {
            try await body(container)
            await container.close()
        } catch {
            await container.close()
            throw error
        }
    }
}
