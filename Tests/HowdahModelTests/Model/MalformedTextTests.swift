import HowdahModel
import Testing

/// Texts that are no model are told with their place.
@Suite struct MalformedTextTests {
    @Test(arguments: [
        ("", "The JSON is not valid"), ("{", "The JSON is not valid"), ("[]", "The text"),
        ("{\"format\": 1}", "entities is missing"),
        ("{\"format\": \"1\", \"entities\": []}", "format"),
        ("{\"format\": 1, \"entities\": [{\"name\": 3}]}", "entities[0].name"),
        ("{\"format\": 1, \"entities\": [{\"name\": null}]}", "entities[0]"),
    ])
    func theErrorIsTheModelsAndNamesThePlace(text: String, part: String) {
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(canonicalJSON: text) }
        #expect(error?.code == .malformed && error?.issues.count == 1)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
}
