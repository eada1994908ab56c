import Foundation
import HowdahModel
import Testing

struct ModelValidationTests {
    private static func issues(_ entities: EntityDescription...) -> [ModelIssue] {
        do {
            _ = try ManagedObjectModel(entities: entities)
            return []
        } catch {
            #expect(error.code == .invalidModel)
            return error.issues
        }
    }

    private static func codes(_ properties: PropertyDescription...) -> [ModelIssue.Code] {
        issues(EntityDescription("A", properties: properties)).map(\.code)
    }

    @Test func everyIssueIsReportedWithItsPlace() {
        let found = Self.issues(
            EntityDescription(
                "A", superentity: "Nobody",
                properties: [
                    .attribute("x", .integer16, default: "text"), .relationship("r", to: "Nowhere"),
                    .relationship("s", to: "B", inverse: "t"),
                ], uniquenessConstraints: [["missing"]]),
            EntityDescription("B", properties: [.relationship("t", to: "B", inverse: "t")]))
        #expect(
            found.map(\.code) == [
                .unknownEntity, .invalidDefault, .unknownEntity, .inverseMismatch, .unknownProperty,
            ])
        #expect(found.map(\.propertyName) == [nil, "x", "r", "s", "missing"])
        #expect(found.allSatisfy { $0.entityName == "A" && $0.message.hasPrefix("A") })
        #expect(found[1].message.hasPrefix("A.x: "))
    }

    @Test func namesThatCannotWorkAreRefused() {
        #expect(Self.issues(EntityDescription("")).map(\.code) == [.invalidName])
        #expect(Self.issues(EntityDescription("a\u{7}")).map(\.code) == [.invalidName])
        #expect(Self.issues(EntityDescription("a\u{202E}b")).map(\.code) == [.invalidName])
        #expect(Self.issues(EntityDescription("A", renamingIdentifier: "\n")).map(\.code) == [.invalidName])
        for name in ["", "a\nb", "self", "SELF", "objectID", "a.b", "@count", "$x"] {
            #expect(Self.codes(.attribute(name, .string)) == [.invalidName], "\(name)")
        }
        for name in ["objectid", "entity", "select", "a\"b", "_id", "日本", "a@b", " "] {
            #expect(Self.codes(.attribute(name, .string)).isEmpty, "\(name)")
        }
    }

    @Test func namesAreUsedOnce() {
        #expect(Self.issues(EntityDescription("A"), EntityDescription("A")).map(\.code) == [.duplicateName])
        #expect(
            Self.issues(EntityDescription("A"), EntityDescription("B", renamingIdentifier: "A")).map(\.code)
                == [.duplicateName])
        #expect(Self.codes(.attribute("x", .string), .relationship("x", to: "A")) == [.duplicateName])
        #expect(Self.codes(.attribute("é", .string), .attribute("e\u{301}", .string)) == [.duplicateName])
        #expect(Self.codes(.attribute("x", .string), .attribute("X", .string)).isEmpty)
        let inherited = Self.issues(
            EntityDescription("A", properties: [.attribute("x", .string)]),
            EntityDescription("B", superentity: "A", properties: [.attribute("x", .date)]))
        #expect(inherited.map(\.code) == [.duplicateName])
        #expect(inherited.first?.message.contains("superentity A") == true)
        let pair = CompositeDescription("Pair", [.init("a", .string), .init("a", .string)])
        #expect(Self.codes(.attribute("x", .composite(pair))) == [.duplicateName])
    }

    @Test func superentityCyclesEnd() {
        #expect(Self.issues(EntityDescription("A", superentity: "A")).map(\.code) == [.superentityCycle])
        let found = Self.issues(
            EntityDescription("A", superentity: "B"), EntityDescription("B", superentity: "A"),
            EntityDescription("C", superentity: "A"))
        #expect(found.map(\.code) == [.superentityCycle, .superentityCycle])
        #expect(found.map(\.entityName) == ["A", "B"])
    }

    @Test func defaultsAndBoundsHaveTheTypeOfTheirAttribute() {
        let wrong: [(AttributeType, Value)] = [
            (.integer16, 40_000), (.integer32, 3_000_000_000), (.integer64, 1.5), (.boolean, 1), (.string, 1),
            (.uuid, "no"), (.date, "2020-01-01"), (.date, .date(Date(timeIntervalSince1970: 1e13))),
            (.string, "a\u{0}"), (.binary, "x"), (.transformable, 1), (.decimal, "x"),
        ]
        for (type, value) in wrong {
            #expect(
                Self.codes(.attribute("x", type, default: value)) == [.invalidDefault], "\(type) \(value)")
        }
        #expect(Self.codes(.attribute("x", .integer16, minimum: 2, maximum: 1)) == [.invalidBounds])
        #expect(Self.codes(.attribute("x", .integer16, minimum: 1, maximum: 1)).isEmpty)
        #expect(Self.codes(.attribute("x", .integer16, minimum: 100_000)) == [.invalidBounds])
        #expect(Self.codes(.attribute("x", .string, minimum: "a")) == [.invalidBounds])
        #expect(Self.codes(.attribute("x", .string, minimumLength: 3, maximumLength: 2)) == [.invalidBounds])
        #expect(Self.codes(.attribute("x", .string, minimumLength: -1)) == [.invalidBounds])
        #expect(Self.codes(.attribute("x", .binary, maximumLength: 2)) == [.invalidBounds])
        #expect(
            Self.codes(.relationship("r", to: "A", toMany: true, minCount: 3, maxCount: 2)) == [
                .invalidBounds
            ])
        #expect(Self.codes(.relationship("r", to: "A", ordered: true)) == [.invalidBounds])
    }

    @Test func literalsTakeTheTypeOfTheirAttribute() throws {
        func value(_ type: AttributeType, _ value: Value) -> Value? {
            AttributeDescription("x", type, default: value).defaultValue
        }
        #expect(value(.decimal, 0.1) == .decimal(try #require(Decimal(string: "0.1"))))
        #expect(value(.decimal, 3) == .decimal(3))
        #expect(value(.double, 3) == .double(3))
        #expect(value(.float, 0.5) == .float(0.5))
        #expect(value(.uri, "https://example.org") == .uri(try #require(URL(string: "https://example.org"))))
        let uuid = UUID()
        #expect(value(.uuid, .string(uuid.uuidString)) == .uuid(uuid))
        let pair = CompositeDescription("Pair", [.init("a", .double), .init("b", .string)])
        #expect(value(.composite(pair), .composite([1, "x"])) == .composite([.double(1), "x"]))
    }

    @Test func allowedValuesAndPatternsFitTheirAttribute() {
        #expect(Self.codes(.attribute("x", .integer16, default: 1, allowedValues: [1, 2])).isEmpty)
        #expect(
            Self.codes(.attribute("x", .string, default: "é", allowedValues: ["e\u{301}"])).isEmpty,
            "rows have the composed form")
        let wrong: [PropertyDescription] = [
            .attribute("x", .integer16, allowedValues: ["a"]),
            .attribute("x", .string, allowedValues: [.null]),
            .attribute("x", .integer16, default: 3, allowedValues: [1, 2]),
            .attribute("x", .transformable, allowedValues: [.data(Data())]),
            .attribute(
                "x", .composite(CompositeDescription("C", [.init("a", .double)])),
                allowedValues: [.composite([.double(1)])]),
        ]
        for property in wrong { #expect(Self.codes(property) == [.invalidAllowedValues], "\(property)") }
        #expect(Self.codes(.attribute("x", .string, regex: "(")) == [.invalidPattern])
        #expect(Self.codes(.attribute("x", .string, regex: "(?=look)ahead")).isEmpty)
    }

    @Test func uniquenessNamesStoredProperties() {
        func codes(_ constraint: [String]) -> [ModelIssue.Code] {
            Self.issues(
                EntityDescription(
                    "A",
                    properties: [
                        .attribute("x", .string), .attribute("t", .string, transient: true),
                        .relationship("one", to: "A"), .relationship("many", to: "A", toMany: true),
                    ], uniquenessConstraints: [constraint])
            ).map(\.code)
        }
        #expect(codes(["x", "one"]).isEmpty)
        #expect(codes([]) == [.invalidUniqueness])
        #expect(codes(["x", "x"]) == [.invalidUniqueness])
        #expect(codes(["t"]) == [.invalidUniqueness])
        #expect(codes(["many"]) == [.invalidUniqueness])
        #expect(codes(["nothing"]) == [.unknownProperty])
    }

    @Test func inversesLeadBack() {
        func codes(_ back: PropertyDescription) -> [ModelIssue.Code] {
            Self.issues(
                EntityDescription("A", properties: [.relationship("r", to: "B", inverse: "s")]),
                EntityDescription("B", properties: [back])
            ).map(\.code)
        }
        #expect(codes(.relationship("s", to: "A", inverse: "r")).isEmpty)
        #expect(codes(.relationship("s", to: "A")) == [.inverseMismatch])
        #expect(codes(.relationship("s", to: "B", inverse: "s")) == [.inverseMismatch])
        #expect(codes(.relationship("other", to: "A")) == [.unknownProperty])
        #expect(codes(.attribute("s", .string)) == [.unknownProperty])
    }

    @Test func tablesHaveRoomForMigrations() {
        let properties = (0..<1_401).map { PropertyDescription.attribute("x\($0)", .integer16) }
        let half = Array(properties.prefix(700))
        #expect(Self.issues(EntityDescription("A", properties: properties)).map(\.code) == [.tooManyColumns])
        #expect(Self.issues(EntityDescription("A", properties: Array(properties.prefix(1_400)))).isEmpty)
        let both = Self.issues(
            EntityDescription("A", properties: half),
            EntityDescription("B", superentity: "A", properties: Array(properties.suffix(701))))
        #expect(both.map(\.code) == [.tooManyColumns])
    }

    /// Xcode lets one make a composite type without elements; such an attribute has no column.
    @Test func compositesMayHaveNothingStored() throws {
        let empty = CompositeDescription("C", [.init("t", .string, transient: true)])
        for type in [AttributeType.composite(.init("C", [])), .composite(empty)] {
            let entity = EntityDescription("A", properties: [.attribute("x", type)])
            let model = try ManagedObjectModel(entities: [entity])
            #expect(try StoreSchema(model).table(named: "a")?.columns.map(\.name) == ["_id", "_version"])
        }
        let wrong = CompositeDescription("C", [.init("e", .integer16, default: "x")])
        let found = Self.issues(EntityDescription("A", properties: [.attribute("x", .composite(wrong))]))
        #expect(found.map(\.propertyName) == ["x.e"])
    }
}
