import DeclaredModels
import Foundation
import HowdahJSON
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahTesting
import PQClient
import Testing

/// What is exported and imported into an empty store is exported as the same bytes.
@Suite struct LinesTests {
    @Test(arguments: SmallModels.all.map(\.name)) func linesComeBackAsTheSameLines(name: String) async throws
    {
        let entities = try #require(SmallModels.all.first { $0.name == name }?.entities)
        let model = try ManagedObjectModel(entities: entities)
        for (seed, count) in [(11, 12), (12, 60)] as [(UInt64, Int)] {
            try await check(model, seed, count)
        }
    }

    @Test func declaredModelsToo() async throws {
        for model in [try DeclaredCompany.model(), try DeclaredLists.model()] {
            try await check(model, 13, 40)
        }
    }

    /// More than one batch, so that lines and links wait for later ones.
    @Test(arguments: ["required cycle", "ordered", "relationships", "counts"])
    func batchesAreOneGraph(name: String) async throws {
        let entities = try #require(SmallModels.all.first { $0.name == name }?.entities)
        try await check(try ManagedObjectModel(entities: entities), 14, 700)
    }

    private func check(_ model: ManagedObjectModel, _ seed: UInt64, _ count: Int) async throws {
        let data = SampleData(model: model, seed: seed, countPerEntity: count)
        try await withTemporaryStore(model) { container in
            try await data.insert(into: container)
            let lines = try await container.exportedLines()
            #expect(lines.split(separator: "\n").count == data.objects.count)
            try await withTemporaryStore(model) { other in
                let first = try await other.importLines(lines, pieces: 1 << 16)
                #expect(first.insertedCount == data.objects.count && first.updatedCount == 0)
                let copied = try await other.exportedLines()
                #expect(copied == lines, "\(firstDifference(lines, copied))")

                // Values of an optional attribute are no natural key, and still cannot be there twice.
                if model.hasOptionalUniqueAttributes { return }
                other.statementLog.start()
                let second = try await other.importLines(lines)
                guard second.insertedCount == 0 else { return }
                #expect(second.updatedCount == 0)
                // All of them have natural keys: nothing was written, and so no version moved.
                let written = other.statementLog.statements.map(\.sql).filter { sql in
                    ["INSERT", "UPDATE", "DELETE", "WITH", "COPY"].contains { sql.hasPrefix($0) }
                }
                #expect(written == [])
                let again = try await other.exportedLines()
                #expect(again == lines)
            }
        }
    }

    private func firstDifference(_ lines: String, _ others: String) -> String {
        let pair = zip(lines.split(separator: "\n"), others.split(separator: "\n")).first { $0 != $1 }
        return pair.map { "\($0.prefix(2_000))\n\($1.prefix(2_000))" } ?? "another number of lines"
    }
}

extension ManagedObjectModel {
    fileprivate var hasOptionalUniqueAttributes: Bool {
        entities.contains { entity in
            entity.uniquenessConstraints.joined().contains { name in
                property(named: name, of: entity.name)?.attribute?.isOptional ?? false
            }
        }
    }
}
