import Foundation
import HowdahTesting
import Testing

@Suite struct DataTransferTests {
    /// A bundle with an entity with and one without a natural key.
    private static func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        let bundle = folder.path + "/Shop.xcdatamodel"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Maker" representedClassName="Maker" syncable="YES">
                    <attribute name="code" attributeType="String"/>
                    <attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                    <relationship name="goods" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="Good" inverseName="maker" inverseEntity="Good"/>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint>\
            </uniquenessConstraints>
                </entity>
                <entity name="Good" representedClassName="Good" syncable="YES">
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <relationship name="maker" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Maker" inverseName="goods" inverseEntity="Maker"/>
                </entity>
            </model>
            """
        try text.write(toFile: bundle + "/contents", atomically: true, encoding: .utf8)
        return folder
    }

    @Test func twoStoresAreEqualByDiff() throws {
        let folder = try Self.folder()
        let database = try EphemeralPostgres.shared().createDatabase()
        func run(
            _ command: String, _ schema: String, _ more: String..., input: String? = nil,
            output: String? = nil
        ) throws -> Tool.Outcome {
            try Tool.run(
                [
                    "data", command, "--model", "Shop.xcdatamodel", "--database", database.url, "--schema",
                    schema,
                ]
                    + more, in: folder, input: input.map { folder.path + "/" + $0 }, device: output)
        }
        #expect(try run("generate", "one", "--count", "30").status == 0)
        let exported = try run("export", "one")
        #expect(exported.status == 0, "\(exported.complaint)")
        #expect(exported.complaint == "30  Maker\n30  Good\n60 objects written\n")
        #expect(exported.output.split(separator: "\n").count == 60)
        try exported.output.write(toFile: folder.path + "/one.jsonl", atomically: true, encoding: .utf8)

        let imported = try run("import", "two", input: "one.jsonl")
        #expect(imported.status == 0, "\(imported.complaint)")
        #expect(
            imported.complaint.hasSuffix("\n60 objects read: 60 inserted, 0 updated, 0 skipped\n")
                && imported.output.isEmpty)
        #expect(try run("export", "two").output == exported.output)

        let part = try run(
            "export", "two", "--entity", "Maker", "--where", "weight > 0", "--keypaths", "code")
        #expect(
            part.status == 0 && part.output.hasPrefix("{\"@entity\":\"Maker\",\"code\":"), "\(part.complaint)"
        )

        try (exported.output + "{\"@entity\":\"Maker\",\"code\":3}\n")
            .write(toFile: folder.path + "/wrong.jsonl", atomically: true, encoding: .utf8)
        let wrong = try run("import", "two", input: "wrong.jsonl")
        #expect(
            wrong.status == 1
                && wrong.complaint.hasSuffix(
                    "\nError: Line 61: code: Maker.code: The value is a number. Give a string.\n"),
            "\(wrong.complaint)")
        #expect(try run("export", "two").output == exported.output)

        let full = try run("export", "one", output: "/dev/full")
        #expect(full.status == 1 && full.complaint.hasPrefix("Error: Cannot write to standard output"))
        #expect(try run("export", "one", "--where", "x").status == 64)
        let unknown = try run("export", "one", "--entity", "Maker", "--where", "x = 1")
        #expect(unknown.status == 1 && unknown.complaint.hasPrefix("Error: "), "\(unknown.complaint)")
        try database.drop()
    }
}
