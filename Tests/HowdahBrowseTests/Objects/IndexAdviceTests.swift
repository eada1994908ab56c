import Testing

@testable import HowdahBrowse

/// Properties that an index can serve, and operators that none can.
@Suite struct IndexAdviceTests {
    private func advice(_ filter: String?, sort: [String] = []) throws -> IndexAdvice {
        var view = ObjectsView(entity: "Employee")
        (view.filter, view.sort) = (filter, sort)
        return IndexAdvice(view: view, guide: ModelGuide(model: try Shop.model()))
    }

    @Test func patternsAreNotAdvisedAnIndex() throws {
        let mixed = try advice(
            "name CONTAINS 'x' AND (salary > 5 OR NOT name LIKE '*y')", sort: ["-isActive"])
        #expect(mixed.names == ["salary", "isActive"])
        #expect(mixed.patterns == "CONTAINS, LIKE")
        let beginning = try advice("name BEGINSWITH 'x'")
        #expect(beginning.names == ["name"] && beginning.patterns == nil)
        let pattern = try advice("name MATCHES '.*x'")
        #expect(pattern.names.isEmpty && pattern.patterns == "MATCHES" && pattern.code == nil)
        let none = try advice(nil)
        #expect(none.names.isEmpty && none.patterns == nil)
    }
}
