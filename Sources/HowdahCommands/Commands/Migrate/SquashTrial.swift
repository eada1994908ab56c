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
                between: candidate("the listed stages", one), and: candidate("the new stage", other))
        } catch let failure as PathComparison.Failure {
            let (name, error) = (failure.candidate, failure.error)
            let place = "\(error)".hasSuffix(".") ? "" : "."
            throw CommandError(
                FailureReport.Failure(error, message: "With \(name): \(error.message)"),
                text:
                    "The trial with \(name) failed: \(error)\(place)\nThe plan is unchanged. The trial used generated objects "
                    + "(--count \(count), --seed \(seed)), which may lack values that a stage needs. "
                    + "Use another --seed or --count, or keep the stages.")
        }
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
