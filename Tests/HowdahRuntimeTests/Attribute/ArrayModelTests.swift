import DeclaredModels
import Foundation
import Howdah
import Testing

/// What an array's attribute is in the model, and its values in memory, without a store.
@Suite struct ArrayModelTests {
    private func attribute(_ name: String) throws -> AttributeDescription {
        let shelf = try #require(DeclaredShelves.model()["Shelf"])
        return try #require(shelf.properties.first { $0.name == name }?.attribute)
    }

    @Test func theTypeIsThatOfTheElements() throws {
        #expect(try attribute("tags").type == .array(of: .string))
        #expect(try attribute("oTags").type == .array(of: .string))
        #expect(try attribute("oTags").isOptional)
        #expect(try attribute("ints").type == .array(of: .integer64))
        #expect(try attribute("decimals").type == .array(of: .decimal))
        #expect(try attribute("urls").type == .array(of: .uri))
    }

    @Test func arrayLiteralsAreDefaults() throws {
        #expect(try attribute("tags").defaultValue == .array([]))
        #expect(try attribute("kinds").defaultValue == .array(["new", "it's \"{\\,}\""]))
        #expect(try attribute("int16s").defaultValue == .array([1, -2]))
        #expect(try attribute("decimals").defaultValue == .array([.decimal(1), .decimal(2.5)]))
        #expect(try attribute("oTags").defaultValue == nil)
    }

    @Test func modelsComeBackFromJSON() throws {
        let model = try DeclaredShelves.model()
        let again = try JSONDecoder().decode(ManagedObjectModel.self, from: JSONEncoder().encode(model))
        #expect(again.versionChecksum == model.versionChecksum)
        #expect(again["Shelf"]?.properties == model["Shelf"]?.properties)
        let type = try JSONEncoder().encode(AttributeType.array(of: .uuid))
        #expect(String(decoding: type, as: UTF8.self) == "{\"array\":\"uuid\"}")
        let value = Value.array(["a", "b"])
        #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test func theElementsTypeIsPartOfTheChecksum() throws {
        let models = try [AttributeType.string, .array(of: .string), .array(of: .uri)].map {
            try ManagedObjectModel(entities: [EntityDescription("A", properties: [.attribute("x", $0)])])
        }
        #expect(Set(models.map(\.versionChecksum)).count == 3)
    }

    @Test(arguments: [
        AttributeType.undefined, .transformable, .array(of: .string),
        .composite(CompositeDescription("C", [AttributeDescription("x", .string)])),
    ])
    func elementsThatArraysCannotHoldAreRefused(_ element: AttributeType) throws {
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel(
                entities: [EntityDescription("A", properties: [.attribute("x", .array(of: element))])])
        }
        #expect(error?.issues.map(\.code) == [.invalidElement])
    }

    @Test func aDefaultWithNilOrOfOtherTypesIsRefused() throws {
        for bad in [Value.array([.null]), .array([1]), "a"] {
            let error = #expect(throws: ModelError.self) {
                try ManagedObjectModel(
                    entities: [
                        EntityDescription(
                            "A", properties: [.attribute("x", .array(of: .string), default: bad)])
                    ])
            }
            #expect(error?.issues.map(\.code) == [.invalidDefault])
        }
    }

    @Test func conversions() {
        #expect([String]._make(.array(["a"])) == ["a"])
        #expect([String]._make(.array(["a", 1])) == nil)
        #expect([String]._make(.array([.null])) == nil)
        #expect([String]._make("a") == nil)
        #expect([Int16]._make(.array([1, 70_000])) == nil)
        #expect([String]?._make(.null) == .some(nil))
        #expect(["e\u{301}"]._stored.first?.unicodeScalars.count == 1)
    }

    @Test func treesPrintAndParse() throws {
        let trees: [PredicateTree] = [
            .format("tags == %@", ["a", "it's"]), .format("tags != %@", [String]()),
            .format("ANY tags == 'a'"), .format("ALL tags IN {'a', 'b'}"), .format("'a' IN tags"),
            .format("tags.@count > 2"), .format("tags == %@", [UUID()]),
        ]
        for tree in trees {
            #expect(tree.error == nil)
            #expect(try PredicateTree(format: tree.description) == tree)
        }
    }
}
