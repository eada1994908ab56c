import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The example of `docs/stores.md`, compiled and run.
@Suite struct StoreGuideTests {
    @Test func theExampleRunsAndIsThatOfTheGuide() async throws {
        try await withTemporaryDatabase(for: ManagedObjectModel(Visitor.self)) { database in
            let url = database.url
            // snippet
            try await PersistentContainer.setMetadata(["region": "eu", "importedUpTo": 4711], at: url)
            let metadata = try await PersistentContainer.metadata(at: url)
            print(metadata.storeIdentifier, metadata.versionChecksum, metadata["region"] ?? "none")

            var spare = StoreOptions()
            spare.schemaName = "spare"
            try await PersistentContainer.replaceStore(at: url, options: spare, withStoreFrom: url)
            try await PersistentContainer.destroyStore(at: url, options: spare)
            // end
            #expect(metadata.entries == ["region": "eu", "importedUpTo": 4711])
            await #expect(throws: StoreError.self) {
                try await PersistentContainer.metadata(at: url, options: spare)
            }
        }
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let guide = try String(contentsOf: Repository.root.appending(path: "docs/stores.md"), encoding: .utf8)
        let example = try #require(
            guide.split(separator: "```swift").dropFirst().first?.split(separator: "```").first)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let snippet = try #require(
            source.split(separator: "// snippet").dropFirst().first?.split(separator: "// end").first)
        // The first line of the guide is its URL.
        #expect(lines(snippet).filter { !$0.isEmpty } == Array(lines(example).dropFirst()))
    }
}
