import Foundation
import Howdah
import HowdahModel
import HowdahModelFile
import HowdahSampleData
import HowdahTesting
import ModelCorpus
import TestSupport
import Testing

/// The stores of real models come back from their lines; a few of them, at night all.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusLinesTests {
    @Test func linesComeBackAsTheSameLines() async throws {
        let current = Corpus.versions.filter(\.isCurrent)
        let versions =
            TestTier.isNightly
            ? Corpus.versions : Array(current.enumerated().filter { $0.offset % 9 == 0 }.map(\.element))
        var passed = 0
        for version in versions {
            let model = try ModelFile(at: version.file).contents(version: version.name).model
            let database = try EphemeralPostgres.shared().createDatabase()
            defer { try? database.drop() }
            do {
                try await Self.check(model, database.url)
                passed += 1
            } catch let error as StoreError {
                // What the model uses and contexts do not keep is told by other tests.
                print("refused \(version): \("\(error)".prefix(150))")
            } catch {
                Issue.record("\(version): \(error)")
            }
        }
        #expect(passed * 10 > versions.count * 8)
    }

    private static func check(_ model: ManagedObjectModel, _ url: String) async throws {
        let data = SampleData(model: model, seed: 5, countPerEntity: 12)
        var options = StoreOptions()
        options.maximumConnections = 1
        options.schemaName = "original"
        let container = try await PersistentContainer.open(url, model: model, options: options)
        options.schemaName = "copy"
        let other = try await PersistentContainer.open(url, model: model, options: options)
        do {
            try await data.insert(into: container)
            let lines = try await container.exportedLines()
            try await other.importLines(lines)
            let copied = try await other.exportedLines()
            #expect(copied == lines)
        } catch {
            await container.close()
            await other.close()
            throw error
        }
        await container.close()
        await other.close()
    }
}
