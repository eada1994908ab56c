import Foundation
import Testing

@testable import HowdahModel

/// Case-insensitive strings in the model and in the tables made of it.
@Suite struct CaseInsensitivityTests {
    private static func issues(_ properties: PropertyDescription...) -> [ModelIssue] {
        do throws(ModelError) {
            _ = try ManagedObjectModel(entities: [EntityDescription("A", properties: properties)])
            return []
        } catch {
            return error.issues
        }
    }

    private static func table(
        _ properties: [PropertyDescription], unique: [[String]] = [], indexes: [FetchIndexDescription] = []
    ) throws -> StoreSchema.Table {
        let entity = EntityDescription(
            "A", properties: properties, uniquenessConstraints: unique, fetchIndexes: indexes)
        let schema = try StoreSchema(ManagedObjectModel(entities: [entity]))
        return try #require(schema.table(named: "a"))
    }

    @Test func onlyStringsCanBe() {
        #expect(Self.issues(.attribute("x", .string, caseInsensitive: true)).isEmpty)
        let element = AttributeDescription("y", .integer16, caseInsensitive: true)
        for (type, path) in [
            (AttributeType.integer32, "x"), (.uri, "x"), (.array(of: .string), "x"), (.transformable, "x"),
            (.composite(CompositeDescription("C", [element])), "x.y"),
        ] {
            let issues = Self.issues(.attribute("x", type, caseInsensitive: path == "x"))
            #expect(issues.map(\.code) == [.invalidMapping], "\(type)")
            #expect(issues.first?.propertyName == path)
            #expect(issues.first?.message.contains("Remove howdah.caseInsensitive") == true)
        }
    }

    @Test func theFlagIsReadGenerouslyAndRefusedInWords() {
        for (text, isSet) in [("YES", true), ("true", true), ("NO", false), ("false", false)] {
            let attribute = AttributeDescription("x", .string, userInfo: [MappingKey.caseInsensitive: text])
            #expect(attribute.isCaseInsensitive == isSet, "\(text)")
            #expect(Self.issues(.attribute(attribute)).isEmpty)
        }
        for text in ["", "yes", "1"] {
            let issues = Self.issues(
                .attribute("x", .string, userInfo: [MappingKey.caseInsensitive: text]))
            #expect(issues.map(\.code) == [.invalidMapping], "\(text)")
            #expect(issues.first?.message.contains("\"YES\" nor \"NO\"") == true)
        }
        var attribute = AttributeDescription("x", .integer16, userInfo: [MappingKey.caseInsensitive: "NO"])
        #expect(Self.issues(.attribute(attribute)).isEmpty, "what is not asked for needs no string")
        attribute.isCaseInsensitive = false
        #expect(attribute.userInfo.isEmpty)
    }

    @Test func itIsPartOfTheChecksumHoweverItIsSpelt() throws {
        func checksum(_ userInfo: [String: String]) throws -> String {
            try ManagedObjectModel(entities: [
                EntityDescription("A", properties: [.attribute("x", .string, userInfo: userInfo)])
            ]).versionChecksum
        }
        let key = MappingKey.caseInsensitive
        #expect(try checksum([key: "YES"]) == checksum([key: "true"]))
        #expect(try checksum([key: "NO"]) == checksum([:]))
        #expect(try checksum([key: "YES"]) != checksum([:]))
        let model = try ManagedObjectModel(entities: [
            EntityDescription("A", properties: [.attribute("x", .string, caseInsensitive: true)])
        ])
        #expect(try ManagedObjectModel(canonicalJSON: model.canonicalJSON) == model)
    }

    @Test func uniquenessAndIndexesHoldItFolded() throws {
        let name = AttributeType.composite(
            CompositeDescription("N", [AttributeDescription("first", .string, caseInsensitive: true)]))
        let table = try Self.table(
            [
                .attribute("code", .string, caseInsensitive: true, maximumLength: 40),
                .attribute("title", .string, caseInsensitive: true), .attribute("n", .integer16),
                .attribute("isbn", .string, caseInsensitive: true, userInfo: [MappingKey.digest: "true"]),
                .attribute("name", name),
            ], unique: [["code"], ["n", "title"], ["isbn"], ["name"]],
            indexes: [
                FetchIndexDescription("code", elements: [FetchIndexElement("code", ascending: false)]),
                FetchIndexDescription("title", on: "title", "n"),
                FetchIndexDescription("hashed", on: "title", method: .hash),
            ])
        #expect(
            table.uniques.map { $0.elements ?? [] } == [
                [.init(.folded("code"), ascending: false)], [.init(.column("n")), .init(.folded("title"))],
                [.init(.digest("isbn", type: .text, isFolded: true))], [.init(.folded("name_first"))],
            ])
        #expect(
            table.indexes.sorted { $0.name < $1.name }.map(\.elements) == [
                [.init(.folded("title"))],
                [
                    .init(.prefix("title", length: 600, type: .text, isFolded: true), ascending: true),
                    .init(.column("n"), ascending: true),
                ],
            ])
        #expect(
            table.columns.filter(\.isCaseInsensitive).map(\.name) == ["code", "title", "isbn", "name_first"])
    }

    /// "ß" is two letters when it is folded.
    @Test func theLengthOfWhatIsFoldedDecides() throws {
        func prefix(_ length: Int, caseInsensitive: Bool) throws -> Int? {
            try Self.table(
                [.attribute("x", .string, caseInsensitive: caseInsensitive, maximumLength: length)],
                indexes: [FetchIndexDescription("i", on: "x")]
            ).column("x")?.indexPrefix
        }
        #expect(try prefix(600, caseInsensitive: false) == nil)
        #expect(try prefix(600, caseInsensitive: true) == 600)
        #expect(try prefix(300, caseInsensitive: true) == nil)
        #expect(try prefix(.max, caseInsensitive: true) == 600)
    }

    @Test func partialIndexesCompareExactly() throws {
        func filter(_ format: String) throws -> StoreSchema.Condition? {
            try Self.table(
                [.attribute("x", .string, caseInsensitive: true), .attribute("n", .integer16)],
                indexes: [
                    FetchIndexDescription("i", elements: ["n"], partialIndexPredicate: format)
                ]
            ).indexes.first?.filter
        }
        #expect(try filter("x ==[n] 'A'") == .compares(column: "x", .equal, "A"))
        #expect(try filter("x != nil") == .isNotNull(column: "x"))
        for format in ["x == 'A'", "'A' < x", "x IN {'A', nil}"] {
            #expect { try filter(format) } throws: { error in
                let issue = (error as? ModelError)?.issues.first
                return issue?.code == .invalidIndex && issue?.message.contains("[n]") == true
            }
        }
    }

    private static let subject = Subject(
        1,
        [
            "x": .caseInsensitive("Straße"), "nil": .caseInsensitive(.null), "y": .value("STRASSE"),
            "tags": .array(["A", "strasse"]), "age": .value(3),
            "kids": .many([
                Subject(2, ["x": .caseInsensitive("Bo"), "mum": .one(nil)]),
                Subject(3, ["x": .caseInsensitive("B")]),
            ]),
        ])

    @Test(arguments: [
        "x == 'STRASSE'", "'strasse' == x", "x == y", "y == x", "NOT x !=[d] 'straße'", "x ==[n] 'Straße'",
        "NOT x ==[n] 'straße'", "NOT x ==[cn] 'straße'", "x < 'STRASSF'", "x > 'STRASRE'",
        "x BETWEEN {'STRASSE', 'STRASSE'}", "x IN {'A', 'STRASSE'}", "x IN 'DIE STRASSE'", "x IN tags",
        "x IN {'1', '2', '3', '4', '5', '6', '7', '8', '9', 'STRASSE'}", "NOT y IN tags",
        "x BEGINSWITH 'STRA'", "x ENDSWITH 'SE'", "x CONTAINS 'ASS'", "x LIKE 'STR?SS*'", "x LIKE[d] 'STRÄ*'",
        "x MATCHES 'Stra.e'", "NOT x MATCHES 'stra.*'", "x MATCHES[c] 'STRASSE'", "nil == NULL",
        "NOT nil == 'a'", "nil != x", "ANY kids.x == 'BO'", "ALL kids.x BEGINSWITH 'b'",
        "NONE kids.x == 'BOB'", "'bO' IN kids.x", "kids.x CONTAINS 'b'", "NOT y == 'strasse'", "age == 3",
    ])
    func predicatesCompareItFolded(format: String) throws {
        #expect(try PredicateTree(format: format).evaluate(with: Self.subject))
    }
}
