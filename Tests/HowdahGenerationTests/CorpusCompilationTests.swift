import Foundation
import HowdahGeneration
import HowdahModel
import HowdahModelFile
import ModelCorpus
import TestSupport
import Testing

/// The classes of the largest real models compile in Swift 6 mode, without a warning.
@Suite(
    .enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"),
    .enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusCompilationTests {
    @Test func theLargestModelsCompile() async throws {
        var models: [(name: String, model: ManagedObjectModel)] = []
        for version in Corpus.versions where version.isCurrent {
            let file = try ModelFile(at: version.file)
            models.append((file.name, try file.contents(version: version.name).model))
        }
        try #require(models.count >= 5)
        let largest = models.sorted { $0.model.size > $1.model.size }
            .prefix(TestTier.choose(quick: 2, all: 5, nightly: 32))
        let compiler = try SwiftToolchain(#require(SwiftToolchain.installed))
        for (name, model) in largest {
            let said = try await compiler.check(GeneratedCode(of: model, named: name).files, [])
            #expect(said.isEmpty, "\(name): \(said)")
        }
    }
}

extension ManagedObjectModel {
    fileprivate var size: Int { entities.reduce(0) { $0 + 1 + $1.properties.count } }
}
