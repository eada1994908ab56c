import DeclaredModels
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahTesting
import Testing

/// Classes with fields of their own take the values as dynamic objects do.
@Suite struct DeclaredModelDataTests {
    @Test func aDeclaredModelIsFilledAndReadBack() async throws {
        for model in [try DeclaredCompany.model(), try DeclaredLists.model()] {
            let data = SampleData(model: model, seed: 6, countPerEntity: 25)
            #expect(data.gaps == [] && data.brokenRules == [])
            try await withTemporaryStore(model) { container in
                let insertion = try await data.insert(into: container, batchSize: 30)
                let differences = try await data.differences(from: insertion, in: container)
                #expect(differences == [])
            }
        }
    }
}
