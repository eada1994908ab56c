import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Stores that released versions of the library made, restored from their dumps; see `scripts/record-store`.
@Suite struct RecordedStoreTests {
    private static let folder = Repository.root.appending(path: "Tests/Stores")
    static let versions =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.first != "." }
        .sorted()

    /// A restored store, and the model that it was recorded with.
    private struct Recorded {
        let database: TemporaryDatabase
        let model: String
        let objects: String

        var url: String { database.url }

        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.run(arguments + ["--database", url], in: ToolFolder())
        }

        func exported() throws -> String {
            let outcome = try run("data", "export", "--model", model)
            #expect(outcome.status == 0, "\(outcome.complaint)")
            return outcome.output
        }
    }

    private static func withStore(_ version: String, _ body: (Recorded) async throws -> Void) async throws {
        let files = folder.appending(path: version)
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let sql = try String(contentsOf: files.appending(path: "store.sql"), encoding: .utf8)
        try PlainSQL(url: database.url).script(sql)
        try await body(
            Recorded(
                database: database, model: files.appending(path: "model.json").path,
                objects: String(contentsOf: files.appending(path: "objects.jsonl"), encoding: .utf8)))
    }

    @Test func storesAreRecorded() { #expect(Self.versions.contains("0.1.0")) }

    @Test(arguments: versions)
    func thisVersionReadsAndChecksTheStore(version: String) async throws {
        try await Self.withStore(version) { store in
            #expect(try store.exported() == store.objects)
            let verified = try store.run("migrate", "verify")
            #expect(verified.status == 0, "\(verified)")
            // The server of the tests is set for speed, which the doctor warns of.
            let examined = try store.run("migrate", "doctor")
            #expect(examined.output.contains("ok       version") && !examined.output.contains("problem  "))
            let metadata = try store.run("store", "metadata", "--json")
            let recorded = try String(
                contentsOf: Self.folder.appending(path: "\(version)/metadata.json"), encoding: .utf8)
            #expect(metadata.output == recorded)
            #expect(try store.run("migrate", "history").output.contains("1 step"))
        }
    }

    @Test(arguments: versions)
    func thisVersionWritesAndMigratesTheStore(version: String) async throws {
        try await Self.withStore(version) { store in
            let model = try ManagedObjectModel(
                canonicalJSON: String(contentsOfFile: store.model, encoding: .utf8))
            let container = try await PersistentContainer.open(store.url, model: model)
            let loans = try await container.perform { context in
                let book = context.insert("Book")
                book["title"] = "A new one"
                book["number"] = Int32(7)
                let chapter = context.insert("Chapter")
                chapter["headline"] = "First"
                chapter["book"] = book
                try context.save()
                #expect(try context.existingObject(with: book.objectID)["chapterCount"] as? Int64 == 1)
                // The rule of the store: the chapters go with their book.
                context.delete(book)
                try context.save()
                return try context.count(for: FetchRequest<ManagedObject>(entityName: "Loan"))
            }
            #expect(loans == 8)
            await container.close()
            #expect(try store.exported() == store.objects)

            let later = try String(contentsOfFile: store.model, encoding: .utf8)
                .replacing(
                    "\"isOptional\": false,\n            \"name\": \"headline\"",
                    with: "\"isOptional\": true,\n            \"name\": \"headline\"")
            let folder = try ToolFolder()
            let file = folder.path + "/later.json"
            try later.write(toFile: file, atomically: true, encoding: .utf8)
            let outcome = try store.run("migrate", "apply", "--model", file)
            #expect(outcome.status == 0 && outcome.output.contains("migrated"), "\(outcome)")
            let after = try store.run("data", "export", "--model", file)
            #expect(after.output == store.objects, "\(after.complaint)")
        }
    }

    @Test func aLaterFormatSaysWhoMayUseIt() async throws {
        try await Self.withStore("0.1.0") { store in
            let sql = PlainSQL(url: store.url)
            // A later version made the store and keeps it open to this one.
            try sql.rows("UPDATE _howdah_store SET format_version = 3, readable_from = 1, writable_from = 1")
            #expect(try store.exported() == store.objects)
            #expect(try !store.run("migrate", "doctor").output.contains("problem  "))

            try sql.rows("UPDATE _howdah_store SET writable_from = 3")
            let readable = try store.run("data", "export", "--model", store.model)
            #expect(
                readable.status == 1
                    && readable.complaint.contains(
                        "or later may change it, and this version has format 2. Use a newer version")
            )
            try sql.rows("UPDATE _howdah_store SET readable_from = 3")
            for command in [
                ["data", "export", "--model", store.model], ["migrate", "apply", "--model", store.model],
                ["migrate", "status", "--model", store.model], ["migrate", "doctor"], ["migrate", "verify"],
                ["migrate", "finish"], ["migrate", "history"], ["store", "metadata"],
                ["store", "metadata", "--set", "a=1"], ["store", "destroy"],
                ["migrate", "baseline", "--model", store.model],
            ] {
                let refused = try Tool.run(command + ["--database", store.url], in: ToolFolder())
                #expect(
                    refused.status != 0
                        && (refused.output + refused.complaint).contains("Use a newer version of Howdah"),
                    "\(command): \(refused)")
            }
            // Without the columns, as in stores made before there were any, only the same format fits.
            try sql.rows("ALTER TABLE _howdah_store DROP COLUMN readable_from, DROP COLUMN writable_from")
            #expect(try store.run("data", "export", "--model", store.model).status == 1)
            try sql.rows("UPDATE _howdah_store SET format_version = 1")
            #expect(try store.exported() == store.objects)
        }
    }

    @Test(arguments: [
        "ALTER TABLE _howdah_store ALTER COLUMN store_uuid TYPE text",
        "ALTER TABLE _howdah_store RENAME COLUMN store_uuid TO identity",
        "ALTER TABLE _howdah_store ALTER COLUMN format_version TYPE bigint",
        "ALTER TABLE _howdah_store DROP CONSTRAINT _howdah_store_pkey; INSERT INTO _howdah_store SELECT * FROM _howdah_store",
        "DROP TABLE _howdah_store; CREATE TABLE _howdah_store (id integer, name text)",
        "DROP TABLE _howdah_store; CREATE VIEW _howdah_store AS SELECT 1 AS id",
        "DROP TABLE _howdah_store; CREATE TYPE _howdah_store AS (id integer)",
    ])
    func aTableOfAnotherProgramIsNotTakenForARecord(change: String) async throws {
        try await Self.withStore("0.1.0") { store in
            try PlainSQL(url: store.url).script(change)
            for command in [
                ["data", "export", "--model", store.model], ["migrate", "doctor"], ["store", "metadata"],
            ] {
                let refused = try Tool.run(command + ["--database", store.url], in: ToolFolder())
                #expect(
                    refused.status != 0
                        && (refused.output + refused.complaint).contains("was not created by Howdah"),
                    "\(command): \(refused)")
            }
        }
    }

    /// The columns of a later format may differ, and the store may change between a look and the work.
    @Test func aLaterFormatIsSeenBeforeItsColumnsAndUnderTheLock() async throws {
        try await Self.withStore("0.1.0") { store in
            let sql = PlainSQL(url: store.url)
            let model = try ManagedObjectModel(
                canonicalJSON: String(contentsOfFile: store.model, encoding: .utf8))
            let container = try await PersistentContainer.open(store.url, model: model)
            try sql.script(
                "UPDATE _howdah_store SET format_version = 3, readable_from = 3, writable_from = 3; "
                    + "ALTER TABLE _howdah_store RENAME COLUMN model TO model_json; "
                    + "ALTER TABLE topic RENAME COLUMN word TO term")
            let refused = try store.run("data", "export", "--model", store.model)
            #expect(
                refused.status == 1 && refused.complaint.contains("Use a newer version of Howdah"),
                "\(refused)")
            let error = await #expect(throws: (any Error).self) {
                try await container.perform { try $0.fetch("Topic").map { $0["word"] as? String } }
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("Use a newer version of Howdah"))
            await container.close()
        }
        try await Self.withStore("0.1.0") { store in
            let sql = PlainSQL(url: store.url)
            let later = try String(contentsOfFile: store.model, encoding: .utf8)
                .replacing("\"maximumLength\": 60", with: "\"maximumLength\": 61")
            let folder = try ToolFolder()
            let file = folder.path + "/later.json"
            try later.write(toFile: file, atomically: true, encoding: .utf8)
            let url = store.url
            let outcome = try await sql.committing(
                "LOCK TABLE holder IN ACCESS SHARE MODE; UPDATE _howdah_store SET format_version = 3, readable_from = 3, writable_from = 3"
            ) {
                try Tool.run(["migrate", "apply", "--model", file, "--database", url], in: ToolFolder())
            }
            #expect(
                outcome.status == 1 && outcome.complaint.contains("Use a newer version of Howdah"),
                "\(outcome)")
        }
    }
}
