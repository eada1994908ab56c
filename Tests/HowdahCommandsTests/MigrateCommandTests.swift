import Foundation
import HowdahTesting
import PQClient
import Testing

@Suite struct MigrateCommandTests {
    private static func model(_ attributes: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Author" representedClassName="Author" syncable="YES">\(attributes)</entity>
        </model>
        """
    }

    private static let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"

    @Test func aStoreIsMadeThenMigrated() throws {
        let folder = try ToolFolder()
        let versions = [
            "v1": Self.model(Self.name),
            "v2": Self.model(
                "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" elementID=\"name\"/>"),
            "v3": Self.model(
                "<attribute name=\"title\" optional=\"YES\" attributeType=\"Date\" elementID=\"name\"/>"),
        ]
        for (version, text) in versions {
            let path = "\(folder.path)/Library.xcdatamodeld/\(version).xcdatamodel"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try text.write(toFile: path + "/contents", atomically: true, encoding: .utf8)
        }
        let database = try EphemeralPostgres.shared().createDatabase()
        func run(_ command: String, _ version: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                [
                    "migrate", command, "--model", "Library.xcdatamodeld", "--version", version, "--database",
                    database.url,
                ] + more, in: folder)
        }
        #expect(try run("status", "v1").status == 2)
        let made = try run("apply", "v1")
        #expect(made.status == 0 && made.output == "made\n", "\(made)")
        #expect(try run("status", "v1").status == 0)
        let plan = try run("plan", "v2")
        #expect(plan.status == 2 && plan.output.contains("RENAME COLUMN \"name\" TO \"title\""), "\(plan)")
        let json = try run("plan", "v2", "--json")
        #expect(json.output.contains("\"lock\" : \"ACCESS EXCLUSIVE\""), "\(json)")
        let refused = try run("apply", "v3")
        #expect(refused.status == 3 && refused.complaint.contains("Author.name"), "\(refused)")
        let migrated = try run("apply", "v2")
        #expect(migrated.status == 0 && migrated.output.hasPrefix("migrated: "), "\(migrated)")
        #expect(try run("apply", "v2").output == "The store has the model already.\n")
        try database.drop()
    }

    @Test func deferredWorkIsFinishedLater() throws {
        let folder = try ToolFolder()
        let versions = [
            "v1": Self.model(
                Self.name + "<attribute name=\"nick\" optional=\"YES\" attributeType=\"String\"/>"),
            "v2": Self.model(
                Self.name
                    + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/>"
                    + "</uniquenessConstraint></uniquenessConstraints>"),
        ]
        for (version, text) in versions {
            let path = "\(folder.path)/Library.xcdatamodeld/\(version).xcdatamodel"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try text.write(toFile: path + "/contents", atomically: true, encoding: .utf8)
        }
        let database = try EphemeralPostgres.shared().createDatabase()
        func run(_ command: String, _ version: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                [
                    "migrate", command, "--model", "Library.xcdatamodeld", "--version", version, "--database",
                    database.url,
                ] + more, in: folder)
        }
        func finish(_ more: String...) throws -> Tool.Outcome {
            try Tool.run(["migrate", "finish", "--database", database.url] + more, in: folder)
        }
        let absent = try finish()
        #expect(absent.status == 1 && absent.complaint.contains("There is no store"), "\(absent)")
        #expect(try run("apply", "v1").status == 0)
        #expect(try finish().output == "finished\n")
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        for key in 1...2 {
            _ = try connection.query(
                "INSERT INTO author (_id, _version, name, nick) VALUES (\(key), 1, 'Ada', 'x')", cached: false
            )
        }
        let plan = try run("plan", "v2", "--defer")
        #expect(plan.output.contains("1 online, 1 deferred"), "\(plan)")
        let unfit = try run("apply", "v2", "--defer")
        #expect(unfit.status == 4 && unfit.complaint.contains("2 objects (Author 1, Author 2)"), "\(unfit)")
        let status = try run("status", "v2")
        #expect(status.status == 2 && status.output.contains("… online  Author.name is unique"), "\(status)")
        #expect(try run("status", "v2", "--json").output.contains("\"pending\" : [\n"))
        let again = try run("apply", "v2")
        #expect(again.status == 4 && again.complaint.contains("2 objects (Author 1, Author 2)"), "\(again)")
        let one = try finish("--one")
        #expect(one.status == 2 && one.output.hasPrefix("1 more to do\n"), "\(one)")
        #expect(try finish("--one").status == 4)
        _ = try connection.query("UPDATE author SET name = 'Eve' WHERE _id = 2", cached: false)
        let done = try finish("--json")
        #expect(done.status == 0 && done.output.contains("\"pending\" : ["), "\(done)")
        #expect(try run("status", "v2").status == 0)
        #expect(throws: PostgresError.self) {
            try connection.query("UPDATE author SET name = 'Ada'", cached: false)
        }
    }
}
