import HowdahModel
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("nmae", "name"), ("titel", "title"), ("gae", "age"), ("Agee", "age"), ("ag", "age"),
        ("departmnet", "department"),
    ])
    func aSlipIsFound(written: String, meant: String) {
        #expect(NearestName.of(written, among: ["ok", "other", meant, "x1"]) == meant)
    }

    @Test(arguments: ["x", "ab", "qq", "zebra", "", "colour"])
    func whatIsFarIsNot(written: String) {
        #expect(NearestName.of(written, among: ["ok", "name", "age"]) == nil)
    }
}
