import Foundation
import HowdahModel
import Testing

@testable import HowdahModelFile

/// What a decoder would pass over in a model in JSON is told, with its line.
struct JSONReaderTests {
    private static func read(_ text: String) throws(ModelFileError) -> [ModelFileWarning] {
        try JSONReader.model(in: Data(text.utf8)).warnings
    }

    private static func error(_ text: String) -> ModelFileError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    /// A model with one entity that has these further keys.
    private static func model(_ keys: String) -> String {
        "{\"format\": 1, \"entities\": [\n{\"name\": \"A\",\n\(keys)}]}"
    }

    @Test func everyKeyThatIsWrittenIsKnown() throws {
        let composite = CompositeDescription(
            "C", [.init("x", .double, default: 1), .init("y", .array(of: .string), default: .array(["a"]))])
        var template = FetchRequestTemplate(entityName: "B", predicateFormat: "x == 1")
        template.fetchLimit = 1
        template.fetchBatchSize = 2
        template.resultType = .count
        template.includesSubentities = false
        template.includesPropertyValues = false
        template.includesPendingChanges = false
        template.returnsObjectsAsFaults = false
        template.returnsDistinctResults = true
        let attribute = AttributeDescription(
            "x", .double, optional: false, default: 1, minimum: 0, maximum: 2, renamingIdentifier: "was",
            versionHashModifier: "v", valueTransformerName: "T", allowsExternalBinaryDataStorage: true,
            valueClassName: "V", allowedValues: [1, 2], preservesValueInHistoryOnDeletion: true,
            userInfo: ["a": "b"])
        let values: [AttributeDescription] = [
            .init("i", .integer64, default: 1),
            .init("s", .string, default: "", minimumLength: 0, maximumLength: 9, regex: ".*"),
            .init("f", .float, default: .float(.infinity)), .init("b", .boolean, default: true),
            .init("d", .date, default: .date(Date(timeIntervalSinceReferenceDate: 0.5))),
            .init("n", .decimal, default: 1), .init("u", .uuid, default: .uuid(UUID())),
            .init("l", .uri, default: "http://a"), .init("o", .binary, default: .data(Data([1]))),
            .init("t", .string, transient: true),
            .init("c", .composite(composite), default: .composite([1, .array(["b"])])),
            .init("now", .date, derivation: "now()"),
        ]
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "A", className: "M.A", abstract: true, properties: values.map { .attribute($0) },
                    fetchIndexes: [
                        .init(
                            "i", elements: [.init("i", ascending: false), .expression("lower(s)")],
                            partialIndexPredicate: "i > 1", method: .btree),
                        .init("h", on: "i", method: .hash),
                    ], fetchedProperties: [.init("all", template)], renamingIdentifier: "Z",
                    versionHashModifier: "v",
                    userInfo: ["k": "v"]),
                EntityDescription(
                    "B", superentity: "A",
                    properties: [
                        .attribute(attribute),
                        .relationship(
                            "bs", to: "B", inverse: "back", ordered: true, optional: false, minCount: 1,
                            maxCount: 0,
                            deleteRule: .deny, renamingIdentifier: "cs", versionHashModifier: "v",
                            userInfo: ["a": "b"]),
                        .relationship("back", to: "B", inverse: "bs"),
                        .relationship("memory", to: "B", transient: true),
                    ], uniquenessConstraints: [["x"]]),
            ], configurations: ["C": ["A"]], fetchRequestTemplates: ["t": template], versionIdentifier: "1")
        let (read, warnings) = try JSONReader.model(in: Data(model.canonicalJSON.utf8))
        #expect(read == model)
        #expect(warnings == [])
    }

    @Test func foldedIndexesComeBack() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "A", properties: [.attribute("a", .string)],
                fetchIndexes: [
                    FetchIndexDescription(
                        "i",
                        elements: [.folded("a", ascending: false), .folded("a", options: .caseInsensitive)])
                ])
        ])
        let (read, warnings) = try JSONReader.model(in: Data(model.canonicalJSON.utf8))
        #expect(read == model)
        #expect(warnings == [])
        #expect(throws: ModelFileError.self) {
            try JSONReader.model(in: Data(model.canonicalJSON.replacing("\"cd\"", with: "\"dc\"").utf8))
        }
    }

    @Test func unknownKeysAreTold() throws {
        let warnings = try Self.read(
            """
            {"format": 1, "comment": {"a": [1, null]}, "entities": [
              {"name": "A", "abstract": true,
               "properties": [
                 {"attribute": {"name": "x", "type": {"composite": {"name": "C", "elements": [
                   {"name": "y", "type": "double", "defaultvalue": {"double": "1"}}]}}}},
                 {"relationship": {"name": "r", "destination": "A", "required": true}, "note": ""}],
               "fetchIndexes": [{"name": "i", "elements": [{"property": "r", "order": "up"}], "unique": true}]}],
             "fetchRequestTemplates": {"t": {"entityName": "A", "limit": 3}}}
            """)
        #expect(warnings.map(\.line) == [1, 2, 5, 6, 6, 7, 7, 8])
        #expect(
            warnings.map(\.message).map {
                $0.replacing(
                    " is unknown and has no effect. Correct the name, or remove the key.", with: "")
            } == [
                "The key \"comment\"", "entities[0]: The key \"abstract\"",
                "entities[0].properties[0].attribute.type.composite.elements[0]: The key \"defaultvalue\"",
                "entities[0].properties[1]: The key \"note\"",
                "entities[0].properties[1].relationship: The key \"required\"",
                "entities[0].fetchIndexes[0].elements[0]: The key \"order\"",
                "entities[0].fetchIndexes[0]: The key \"unique\"",
                "fetchRequestTemplates.t: The key \"limit\"",
            ])
    }

    @Test func repeatedKeysAreRefusedWithBothLines() throws {
        let error = try #require(
            Self.error(
                Self.model("\"userInfo\": {\"a\": \"1\",\n\"b\": \"2\", \"a\": \"3\"},\n\"name\": \"B\"")))
        #expect(error.code == .malformed)
        #expect(
            error.defects.map(\.description)
                == [
                    "line 5: entities[0]: The key \"name\" is already on line 2. Remove one of the two.",
                    "line 4: entities[0].userInfo: The key \"a\" is already on line 3. Remove one of the two.",
                ].sorted { $0 < $1 })
    }

    @Test func textsThatAreNoValuesAreToldAllAtOnce() throws {
        let values = [
            ("date", "2026-01-01"), ("decimal", "12 kg"), ("data", "-"), ("uuid", ""), ("double", "much"),
            ("date", "later"),
        ]
        let attributes = values.enumerated().map { position, value in
            "{\"attribute\": {\"name\": \"x\(position)\", \"type\": \"\(value.0 == "data" ? "binary" : value.0)\", "
                + "\"defaultValue\": {\"\(value.0)\": \"\(value.1)\"}}}"
        }
        let error = try #require(
            Self.error(
                Self.model("\"isAbstract\": 1, \"properties\": [\(attributes.joined(separator: ",\n"))]")))
        #expect(error.defects.count == values.count + 1, "\(error)")
        #expect(error.defects.first?.message.contains("isAbstract") == true)
        #expect(error.defects.count { $0.message.contains("seconds since 2001-01-01 00:00 UTC") } == 2)
    }

    @Test(arguments: [
        ("\"isAbstract\": \"yes\"", "entities[0].isAbstract: Expected a Boolean, but found a string"),
        ("\"superentity\": 1", "entities[0].superentity: Expected a string, but found a number"),
        ("\"properties\": {}", "entities[0].properties: Expected an array, but found an object"),
        ("\"properties\": [{}]", "entities[0].properties[0]: Expected exactly one key"),
        ("\"properties\": [{\"attribute\": {\"name\": \"x\"}}]", "The key \"type\" is missing. Add the key."),
        (
            "\"properties\": [{\"attribute\": {\"name\": \"x\", \"type\": \"int\"}}]",
            "\"int\" is not a valid attribute type. Use one of binary, "
        ),
        (
            "\"properties\": [{\"attribute\": {\"name\": \"x\", \"type\": \"float\", \"minimumLength\": 1.5}}]",
            "1.5 is not a 64-bit integer"
        ),
        (
            "\"properties\": [{\"attribute\": {\"name\": \"x\", \"type\": \"uuid\", \"defaultValue\": {\"uuid\": \"1\"}}}]",
            "defaultValue.uuid: \"1\" is not a value of type uuid. Write 32 hexadecimal digits"
        ),
        (
            "\"properties\": [{\"attribute\": {\"name\": \"x\", \"type\": \"float\", \"minimum\": {\"float\": \"1e39\"}}}]",
            "1e39 is too large"
        ),
        ("\"name\": null", "is already on line"),
    ])
    func whatIsOfTheWrongShapeIsToldWithItsPlace(_ keys: String, _ words: String) throws {
        let error = try #require(Self.error(Self.model(keys)))
        #expect(error.code == .malformed && error.line == 3, "\(error)")
        #expect(error.message.contains(words), "\(error)")
        for word in ["DecodingError", "CodingKeys", "Expected to decode", "Swift"] {
            #expect(!error.message.contains(word), "\(error)")
        }
    }

    @Test func everythingIsToldAtOnce() throws {
        let error = try #require(
            Self.error(
                Self.model(
                    "\"what\": 1,\n\"isAbstract\": 1,\n\"superentity\": true,\n\"properties\": [{}, {\"relationship\": 3}]"
                )))
        #expect(error.defects.map(\.line) == [4, 5, 6, 6])
        #expect(error.warnings.map(\.line) == [3])
        let model = try #require(Self.error(Self.model("\"what\": 1, \"superentity\": \"B\"")))
        #expect(model.code == .invalidModel && model.issues.count == 1 && model.warnings.count == 1)
    }

    @Test(arguments: [
        ("", 1, "the text is empty"), ("{", 1, "key"), ("{\"format\": 1,\n}", 2, "key"),
        ("[1\n,]", 2, "missing"),
        ("{\"format\" 1}", 1, "colon"), ("{\"format\": 01}", 1, "\"01\" is not a value"),
        ("nul", 1, "\"nul\""),
        ("\"a\nb\"", 1, "control character"), ("\"a", 1, "no closing quote"), ("\"\\x\"", 1, "escape"),
        ("\"\\ud800\"", 1, "escape"), ("\"\\u00g0\"", 1, "four"), ("{} {}", 1, "after the end"),
        ("[1 2]", 1, "comma"),
    ])
    func whatIsNoJSONIsRefusedWithItsLine(_ text: String, _ line: Int, _ words: String) throws {
        let error = try #require(Self.error(text))
        #expect(error.code == .malformed && error.line == line && error.message.contains(words), "\(error)")
    }

    @Test func hostileTextsAreRefused() {
        #expect(Self.error(String(repeating: "[", count: 1_000_000))?.code == .tooLarge)
        #expect(
            throws: ModelFileError.self,
            performing: { _ = try JSONReader.model(in: Data([0x7B, 0xFF, 0x7D])) })
        #expect(Self.error("[]")?.code == .malformed)
        #expect(Self.error("{\"format\": 9, \"new\": 1, \"entities\": 3}")?.code == .invalidModel)
    }

    @Test func escapesAndMarksAreRead() throws {
        let (model, warnings) = try JSONReader.model(
            in: Data("\u{FEFF}{\"format\": 1, \"entities\": [{\"name\": \"\\u0041\\ud83d\\ude00\\/\"}]}".utf8)
        )
        #expect(model.entities.map(\.name) == ["A\u{1F600}/"] && warnings.isEmpty)
    }
}
