import Foundation
import HowdahModel
import Testing

@testable import HowdahModelFile

struct MappingReadingTests {
    private static func contents(_ text: String) throws(ModelFileError) -> MappingModelFile.Contents {
        var reader = MappingModelReader(try StoreDocument(reading: Data(text.utf8)))
        return try reader.contents()
    }

    private static func contents(
        _ make: (inout MappingText) -> Void
    ) throws(ModelFileError) -> MappingModelFile.Contents {
        var text = MappingText()
        make(&text)
        return try contents(text.text)
    }

    private static func error(_ text: String) -> ModelFileError? {
        do {
            _ = try contents(text)
            return nil
        } catch {
            return error
        }
    }

    private static func error(_ make: (inout MappingText) -> Void) -> ModelFileError? {
        var text = MappingText()
        make(&text)
        return error(text.text)
    }

    @Test func everythingThatAMappingHasIsRead() throws {
        let contents = try Self.contents { text in
            let label = text.attribute("label", expression: ArchiveWriter.archive { $0.source("title") })
            let size = text.attribute("size")
            let note = text.attribute(
                "note", userInfo: ArchiveWriter.archive { $0.dictionary([("why", $0.add(.string("new")))]) })
            let shelf = text.relationship("shelf")
            let items = text.relationship("items", mapping: "ItemToThing")
            let rooms = text.relationship(
                "rooms", mapping: "RoomToRoom", keyPath: "$source.floors.@distinctUnionOfSets.rooms")
            let none = text.relationship("none", generates: false)
            text.entity(
                2, from: "Box", to: "Crate", policy: "App.BoxPolicy", filter: "isOpen = YES",
                userInfo: ArchiveWriter.archive { $0.dictionary([("version", $0.add(.string("2")))]) },
                attributes: [size, note, label], relationships: [shelf, rooms, items, none])
            text.entity(1, from: "Item", to: "Thing", policy: "")
            text.entity(4, to: "Room")
            text.entity(3, from: "Cellar", name: "Gone")
            text.entity(5, from: "Same", to: "Same", type: "Copy")
        }
        #expect(contents.warnings.isEmpty)
        #expect(contents.sourceModelPath == "Boxes.xcdatamodeld/Boxes.xcdatamodel")
        #expect(contents.destinationModelPath == "Boxes.xcdatamodeld/Boxes 2.xcdatamodel")
        let rooms = MappingExpression.destinationInstances(
            forEntityMappingNamed: "RoomToRoom",
            sourceInstances: try MappingExpression(format: "$source.floors.@distinctUnionOfObjects.rooms"))
        let expected = MappingModel(entityMappings: [
            EntityMapping(from: "Item", to: "Thing", mappingType: .undefined),
            EntityMapping(
                "BoxToCrate", from: "Box", to: "Crate", mappingType: .custom,
                sourceFilter: .format("isOpen == TRUE"),
                attributeMappings: [
                    PropertyMapping("label", .source("title")),
                    PropertyMapping("note", generatesValueExpression: true, userInfo: ["why": "new"]),
                    PropertyMapping("size", generatesValueExpression: true),
                ],
                relationshipMappings: [
                    PropertyMapping(
                        "items",
                        .destinationInstances(
                            forEntityMappingNamed: "ItemToThing", sourceInstances: .source("items"))),
                    PropertyMapping("none"), PropertyMapping("rooms", rooms),
                    PropertyMapping("shelf", generatesValueExpression: true),
                ],
                entityMigrationPolicyClassName: "App.BoxPolicy", userInfo: ["version": "2"]),
            EntityMapping("Gone", from: "Cellar", mappingType: .remove),
            EntityMapping("Room", to: "Room", mappingType: .add),
            EntityMapping(from: "Same", to: "Same", mappingType: .copy),
        ])
        #expect(contents.mappingModel == expected)
    }

    @Test func whatHasNoEffectIsTold() throws {
        let contents = try Self.contents { text in
            _ = text.attribute("lost")
            text.entity(1, from: "A", to: "A", type: "Mysterious", others: [("mood", "string", "good")])
            text.entity(1, to: "B", isLeft: true)
        }
        #expect(contents.mappingModel.entityMappings.map(\.name) == ["AToA"])
        let warnings = contents.warnings.map(\.message)
        for part in [
            "The attribute mood of XDDEVENTITYMAPPING", "\"Mysterious\" is unknown", "(lost)", "(B)",
        ] {
            #expect(warnings.count { $0.contains(part) } == 1, "\(part)")
        }
        #expect(warnings.count == 4)
    }

    /// Xcode adds an entity mapping before its entities are chosen.
    @Test func entityMappingsWithoutEntitiesAreLeftOutWithAWarning() throws {
        let contents = try Self.contents { text in
            text.entity(1, from: "A", to: "A")
            text.entity(2, name: "EntityMapping")
            text.entity(3, name: "EntityMapping", type: "Custom")
            text.entity(4)
        }
        #expect(contents.mappingModel.entityMappings.map(\.name) == ["AToA"])
        #expect(contents.warnings.count == 3)
        let named = contents.warnings.filter {
            $0.message.contains("The entity mapping EntityMapping has neither a source nor a destination")
        }
        #expect(named.count == 2 && contents.warnings.allSatisfy { ($0.line ?? 0) > 4 })
    }

    /// Neither lists of properties nor their elements.
    @Test func entityMappingsWithoutPropertiesAreRead() throws {
        let file = """
            <?xml version="1.0"?>
            <database>
                <object type="XDDEVENTITYMAPPING" id="z2">
                    <attribute name="sourcename" type="string">A</attribute>
                    <attribute name="destinationname" type="string">B</attribute></object>
                <object type="XDDEVENTITYMAPPING" id="z3">
                    <attribute name="destinationname" type="string">C</attribute>
                    <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING"></relationship>
                </object>
                <object type="XDDEVENTITYMAPPING" id="z4">
                    <attribute name="mappingtypename" type="string">Remove</attribute>
                    <attribute name="sourcename" type="string">D</attribute></object>
                <object type="XDDEVENTITYMAPPING" id="z5">
                    <attribute name="mappingtypename" type="string">Copy</attribute>
                    <attribute name="sourcename" type="string">E</attribute>
                    <attribute name="destinationname" type="string">E</attribute></object>
                <object type="XDDEVMAPPINGMODEL" id="z1">
                    <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" \
            idrefs="z2 z3 z4 z5"></relationship></object>
            </database>
            """
        let contents = try Self.contents(file)
        #expect(contents.warnings.isEmpty)
        #expect(
            Set(contents.mappingModel.entityMappings) == [
                EntityMapping(from: "A", to: "B", mappingType: .undefined), EntityMapping(to: "C"),
                EntityMapping(from: "D"), EntityMapping(from: "E", to: "E", mappingType: .copy),
            ])
        let none = try Self.contents(
            "<database><object type=\"XDDEVMAPPINGMODEL\" id=\"z1\"></object></database>")
        #expect(none.mappingModel.entityMappings.isEmpty)
    }

    @Test func everyFaultIsToldAtOnceWithItsLine() throws {
        let error = try #require(
            Self.error { text in
                let block = text.attribute(
                    "a", expression: ArchiveWriter.archive { $0.add("NSBlockExpression", []) })
                let info = text.attribute("b", userInfo: ArchiveWriter.archive { $0.array([]) })
                let text64 = text.property(
                    "XDDEVATTRIBUTEMAPPING",
                    [("name", "string", "c"), ("valueexpressiondata", "binary", "not base64!")])
                let path = text.relationship("d", keyPath: "$source.")
                let nameless = text.property("XDDEVRELATIONSHIPMAPPING", [])
                text.entity(
                    1, from: "A", to: "A", filter: "a ==", attributes: [block, info, text64, "z999"],
                    relationships: [path, nameless, block])
            })
        #expect(error.code == .malformed)
        let messages = error.defects.map(\.message)
        for part in [
            "AToA.a: The value expression cannot be read. Expressions of the class NSBlockExpression",
            "AToA.b: The user info cannot be read", "AToA.c: The value expression is not Base64",
            "AToA.d: The key path is invalid", "has no name", "The source filter is invalid",
            "refers to the id \"z999\"", "no XDDEVRELATIONSHIPMAPPING in the file has this id",
        ] {
            #expect(messages.count { $0.contains(part) } == 1, "\(part)")
        }
        #expect(messages.count == 8)
        #expect(error.defects.allSatisfy { $0.line > 4 })
        #expect(error.defects == error.defects.sorted { $0.line < $1.line })
    }

    @Test func filesThatAreNoMappingModelsAreRefused() {
        var sound = MappingText()
        sound.entity(1, from: "A", to: "A")
        let text = sound.text
        #expect(Self.error(text) == nil)
        let cases: [(String, ModelFileError.Code)] = [
            ("", .malformed), ("<model></model>", .malformed), ("<database></database>", .malformed),
            (String(text.dropLast(20)), .malformed), (text + "<more/>", .malformed),
            (text.replacing("SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\"", with: "[ ]"), .refused),
            (text.replacing("CoreData.dtd\"", with: "C.dtd\" [<!ENTITY a \"b\">]"), .refused),
            (text.replacing("<database>", with: "<!DOCTYPE database><database>"), .refused),
            (text.replacing("id=\"z1\"", with: "id=\"\""), .malformed),
            ("bplist00", .unsupportedFormat),
        ]
        for (text, code) in cases { #expect(Self.error(text)?.code == code, "\(text.prefix(300))") }
        let deep = String(repeating: "<a>", count: 5_000)
        #expect(Self.error("<database>\(deep)")?.code == .tooLarge)
    }

    @Test func foldersAndJSONAreFound() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mapping-\(UUID())")
        let bundle = folder.appending(path: "A.xcmappingmodel")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: ModelFileError.self) { try MappingModel(contentsOf: bundle) }
        var text = MappingText()
        text.entity(1, from: "A", to: "B", attributes: [text.attribute("x")])
        try Data(text.text.utf8).write(to: bundle.appending(path: "xcmapping.xml"))
        let model = try MappingModel(contentsOf: bundle)
        #expect(model.entityMappings.map(\.name) == ["AToB"])
        #expect(try MappingModel(contentsOf: bundle.appending(path: "xcmapping.xml")) == model)
        let json = folder.appending(path: "a.json")
        try JSONEncoder().encode(model).write(to: json)
        #expect(try MappingModel(contentsOf: json) == model)
        try Data(#"{"entityMappings":[{"mappingType":"melt"}]}"#.utf8).write(to: json)
        do {
            _ = try MappingModel(contentsOf: json)
            Issue.record("read")
        } catch {
            #expect(error.description.contains("entityMappings.[0].mappingType"))
        }
        let compiled = folder.appending(path: "A.cdm")
        try Data().write(to: compiled)
        do {
            _ = try MappingModelFile(at: compiled)
            Issue.record("read")
        } catch {
            #expect(error.code == .unsupportedFormat)
        }
        #expect(throws: ModelFileError.self) { try MappingModelFile(at: folder.appending(path: "none")) }
    }
}
