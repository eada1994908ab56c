import Testing

@testable import HowdahBrowse

/// The filter that the page of a stopped search offers.
@Suite struct SmallerSearchTests {
    @Test("Accents go first, then all texts but the label's")
    func smallerSearches() throws {
        let slow = "a CONTAINS[cd] \"x\" OR name CONTAINS[cd] \"x\""
        let faster = try #require(SmallerSearch(slow, label: "name"))
        #expect(faster.filter == "a CONTAINS[c] \"x\" OR name CONTAINS[c] \"x\"")
        let one = try #require(SmallerSearch(faster.filter, label: "name"))
        #expect(one.filter == "name CONTAINS[c] \"x\"")
        #expect(SmallerSearch(faster.filter, label: nil)?.filter == "a CONTAINS[c] \"x\"")
        #expect(SmallerSearch(one.filter, label: "name") == nil)
        #expect(SmallerSearch("a > 1 OR name CONTAINS \"x\"", label: "name") == nil)
    }
}
