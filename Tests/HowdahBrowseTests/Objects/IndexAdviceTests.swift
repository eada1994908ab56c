import HowdahModel
import Testing

@testable import HowdahBrowse

/// Properties that an index can serve, and operators that none can.
@Suite struct IndexAdviceTests {
    private func advice(_ filter: String?, sort: [String] = []) throws -> IndexAdvice {
        var view = ObjectsView(entity: "Employee")
        (view.filter, view.sort) = (filter, sort)
        return IndexAdvice(view: view, guide: ModelGuide(model: try Shop.model()))
    }

    @Test("An index that the model has is not advised again")
    func presentIndexesAreNotAdvised() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Reading", properties: [.attribute("number", .integer64), .attribute("text", .string)],
                fetchIndexes: [
                    FetchIndexDescription("by_number", on: "number", "text"),
                    FetchIndexDescription("by_text", on: "text", method: .hash),
                ])
        ])
        func names(_ sort: String...) -> [String] {
            var view = ObjectsView(entity: "Reading")
            view.sort = sort
            return IndexAdvice(view: view, guide: ModelGuide(model: model)).names
        }
        #expect(names("number").isEmpty && names("-number", "text").isEmpty)
        #expect(names("text") == ["text"] && names("text", "number") == ["text", "number"])
    }

    @Test func patternsAreNotAdvisedAnIndex() throws {
        let mixed = try advice(
            "name CONTAINS 'x' AND salary > 5 AND (NOT name LIKE '*y')", sort: ["-isActive"])
        // In the order of an index, the server reads rows until enough of them have the pattern.
        #expect(mixed.names == ["salary"])
        #expect(try advice("salary == 5", sort: ["-isActive"]).names == ["salary", "isActive"])
        // An index with another range, or for one of two alternatives, is no help.
        #expect(
            try advice("salary > 5 AND isActive == TRUE", sort: ["-name"]).names == ["isActive", "salary"])
        #expect(try advice("salary > 5 OR isActive == TRUE").names.isEmpty)
        for filter in ["NOT (salary == 5)", "salary + 1 == 5", "name == notes", "lowercase(name) == 'x'"] {
            #expect(try advice(filter).names.isEmpty, "\(filter)")
        }
        #expect(mixed.patterns == "CONTAINS, LIKE")
        let beginning = try advice("name BEGINSWITH 'x'")
        #expect(beginning.names == ["name"] && beginning.patterns == nil)
        let pattern = try advice("name MATCHES '.*x'")
        #expect(pattern.names.isEmpty && pattern.patterns == "MATCHES" && pattern.code.isEmpty)
        let none = try advice(nil)
        #expect(none.names.isEmpty && none.patterns == nil)
    }

    @Test("An attribute at the other end of a to-one is advised an index of its entity")
    func relatedAttributes() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "House",
                properties: [
                    .attribute("size", .integer64), .relationship("street", to: "Street", inverse: "houses"),
                ]),
            EntityDescription(
                "Street",
                properties: [
                    .attribute("name", .string), .attribute("code", .string),
                    .relationship("houses", to: "House", inverse: "street", toMany: true),
                ], uniquenessConstraints: [["code"]]),
        ])
        func advice(_ filter: String, of entity: String = "House") -> IndexAdvice {
            var view = ObjectsView(entity: entity)
            view.filter = filter
            return IndexAdvice(view: view, guide: ModelGuide(model: model))
        }
        let related = advice("street.name == 'x' AND size > 5 AND street.name != 'y' AND street.code == 'z'")
        #expect(related.words == "size, and one for name of Street")
        // A range of another table takes no place in an index of this one.
        #expect(advice("street.name > 'x' AND size > 5").words == "size, and one for name of Street")
        #expect(related.code.map(\.entity) == ["House", "Street"])
        #expect(related.code.last?.text == "FetchIndexDescription(\"by_name\", on: \"name\")")
        for filter in [
            "street.name CONTAINS 'x'", "street.name != 'x'", "size != 3", "street.name ==[c] 'x'",
        ] {
            #expect(advice(filter).words == nil, "\(filter)")
        }
        let many = advice("ANY houses.size == 1 OR code == 'a'", of: "Street")
        #expect(many.words == nil && many.code.isEmpty)
    }
}
