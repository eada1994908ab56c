import Foundation
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// `howdah store`, as a person runs it.
@Suite struct StoreCommandTests {
    private struct Stores {
        let database: TemporaryDatabase
        let sql: PlainSQL
        let folder: ToolFolder

        init() async throws {
            database = try EphemeralPostgres.shared().createDatabase()
            sql = PlainSQL(url: database.url)
            folder = try ToolFolder()
            for (schema, count) in [("public", 2), ("spare", 5)] {
                var options = StoreOptions()
                options.schemaName = schema
                let container = try await PersistentContainer.open(
                    database.url, model: Notebook.model(), options: options)
                try await Notebook.fill(container, folders: count)
                await container.close()
            }
        }

        func run(_ command: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.run(["store", command, "--database", database.url] + more, in: folder)
        }

        func identifier(_ schema: String = "public") throws -> String {
            try #require(try sql.value("SELECT store_uuid::text FROM \(schema)._howdah_store"))
        }

        func notes(_ schema: String = "public") throws -> String? {
            try sql.value("SELECT count(*)::text FROM \(schema).note")
        }
    }

    @Test func metadataIsPrintedAndSet() async throws {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        let plain = try stores.run("metadata")
        #expect(plain.status == 0, "\(plain.complaint)")
        #expect(try plain.output.hasPrefix("store  \(stores.identifier())\nmodel  "))
        #expect(plain.output.contains("\nversion  Notebook 1\n") && !plain.output.contains("entry"))
        let set = try stores.run(
            "metadata", "--set", "region=\"eu\"", "--set", "a=b=[1, 2.5]".replacing("a=b=", with: "list="))
        #expect(
            set.status == 0 && set.output.contains("entry  list  [1,2.5]\nentry  region  \"eu\"\n"), "\(set)")
        let json = try stores.run("metadata", "--remove", "list", "--json")
        let report = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(report?["store"] as? String == (try stores.identifier()))
        #expect(report?["entries"] as? [String: String] == ["region": "eu"])
        #expect((report?["entityVersionHashes"] as? [String: String])?.count == 3)
    }

    @Test(arguments: [
        (["metadata", "--set", "region=eu"], 64, "not JSON"),
        (["metadata", "--set", "region"], 64, "a key, ="),
        (["metadata", "--set", "a=1", "--remove", "a"], 64, "twice"),
        (["metadata", "--set", "howdah.x=1"], 1, "reserved"),
        (["metadata", "--schema", "nowhere"], 1, "The schema 'nowhere' has no store."),
        (["metadata", "--schema", ""], 64, "--schema"), (["destroy"], 1, "Add --confirm "),
        (["destroy", "--confirm", "public"], 64, "the id of the store"),
        (["destroy", "--confirm", "00000000-0000-0000-0000-000000000000"], 1, "another store"),
        (["destroy", "--wait", "-1"], 64, "wait"), (["replace"], 64, "--from-schema"),
        (["replace", "--from-schema", "spare"], 1, "Add --confirm "),
        (
            ["replace", "--from-schema", "nowhere", "--schema", "new"], 1,
            "The schema 'nowhere' has no store."
        ),
        (["replace", "--from", ""], 64, "--from is empty"),
    ])
    func wrongInputIsRefusedAndChangesNothing(words: [String], status: Int32, complaint: String) async throws
    {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        let before = try [stores.identifier(), stores.identifier("spare")]
        let outcome = try Tool.run(
            ["store", words[0], "--database", stores.database.url] + words.dropFirst(), in: stores.folder)
        #expect(outcome.status == status && outcome.complaint.contains(complaint), "\(outcome)")
        #expect(outcome.output == "")
        #expect(try [stores.identifier(), stores.identifier("spare")] == before)
        #expect(try stores.notes() == "4" && stores.notes("spare") == "10")
        #expect(try stores.sql.value("SELECT count(*)::text FROM _howdah_metadata") == "0")
    }

    @Test func aConfirmedStoreIsDestroyed() async throws {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        let identifier = try stores.identifier("spare")
        let asked = try stores.run("destroy", "--schema", "spare")
        #expect(
            asked.status == 1 && asked.complaint.contains("--confirm \(identifier)"), "\(asked.complaint)")
        let done = try stores.run("destroy", "--schema", "spare", "--confirm", identifier)
        #expect(done.status == 0, "\(done.complaint)")
        #expect(done.output == "destroyed  \(identifier)  7 tables and the schema\n")
        #expect(try stores.sql.value("SELECT to_regnamespace('spare')::text") == nil)
        #expect(try stores.notes() == "4")
        #expect(try stores.run("destroy", "--schema", "spare", "--confirm", identifier).status == 1)
    }

    @Test func aConfirmedStoreIsReplacedAndAFreeSchemaNeedsNoConfirmation() async throws {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        let identifier = try stores.identifier()
        let replaced = try stores.run("replace", "--from-schema", "spare", "--confirm", identifier)
        #expect(replaced.status == 0, "\(replaced.complaint)")
        let copy = try stores.identifier()
        #expect(
            copy != identifier && replaced.output == "replaced  \(copy)  4 tables, 15 rows\n",
            "\(replaced.output)")
        #expect(try stores.notes() == "10")
        let made = try stores.run("replace", "--schema", "new", "--from", stores.database.url)
        #expect(try made.output == "created  \(stores.identifier("new"))  4 tables, 15 rows\n", "\(made)")
        #expect(try stores.notes("new") == "10")
    }

    @Test(.needsSession) func aStoreInUseHasAStatusOfItsOwn() async throws {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        let program = try await TenantProgram(stores.database.url)
        #expect(await program.ask("save") == "done")
        let identifier = try stores.identifier()
        for words in [["destroy"], ["replace", "--from-schema", "spare"]] {
            let outcome = try Tool.run(
                [
                    "store", words[0], "--database", stores.database.url, "--wait", "0.1", "--confirm",
                    identifier,
                ]
                    + words.dropFirst(), in: stores.folder)
            #expect(outcome.status == 5 && outcome.complaint.contains("session "), "\(outcome)")
            #expect(outcome.complaint.contains("with --end-sessions."), "\(outcome)")
            #expect(try stores.notes() == "6" && stores.identifier() == identifier)
        }
        let done = try stores.run("destroy", "--confirm", identifier, "--end-sessions")
        #expect(done.status == 0, "\(done.complaint)")
        #expect(await program.ask("save") == "StoreError.destroyed")
    }

    /// Wherever the program ends, there is the old store or the new one, or none after a destruction.
    @Test(.needsSession, arguments: ["replace", "destroy"])
    func aKilledCommandLeavesAllOrNothing(command: String) async throws {
        let stores = try await Stores()
        defer { try? stores.database.drop() }
        var options = StoreOptions()
        options.schemaName = "spare"
        let container = try await PersistentContainer.open(
            stores.database.url, model: Notebook.model(), options: options)
        try await Notebook.fill(container, folders: 3_000)
        await container.close()
        let there = "SELECT (to_regclass('public._howdah_store') IS NOT NULL)::text"
        var outcomes: Set<String> = []
        var delay = 20.0
        let rounds = TestTier.choose(quick: 4, all: 12, nightly: 12)
        for round in 0..<40 where round < rounds || outcomes.count < 2 {
            if try stores.sql.value(there) == "false" {
                #expect(try stores.run("replace", "--schema", "public", "--from-schema", "spare").status == 0)
            }
            let (identifier, notes) = (try stores.identifier(), try stores.notes())
            var words = ["store", command, "--database", stores.database.url, "--confirm", identifier]
            if command == "replace" { words += ["--from-schema", "spare"] }
            let process = try Tool.begin(words, in: stores.folder)
            try await Task.sleep(for: .milliseconds(Int(delay)))
            kill(process.processIdentifier, SIGKILL)
            process.waitForEnd()
            // The server ends the session a moment later.
            let others =
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'"
            while try stores.sql.value(others) != "0" { try await Task.sleep(for: .milliseconds(10)) }
            guard try stores.sql.value(there) == "true" else {
                #expect(command == "destroy")
                #expect(
                    try stores.sql.value(
                        "SELECT count(*)::text FROM pg_class WHERE relnamespace = 'public'::regnamespace")
                        == "0")
                outcomes.insert("gone")
                delay *= 0.6
                continue
            }
            let isOld = try stores.identifier() == identifier
            #expect(try stores.notes() == (isOld ? notes : "6010"))
            outcomes.insert(isOld ? "old" : "new")
            // The end is looked for about the time that the command takes.
            delay *= isOld ? 1.4 : 0.6
        }
        #expect(outcomes.count == 2, "\(outcomes)")
    }

    @Test func helpNamesEveryOption() throws {
        let folder = try ToolFolder()
        let help = try Tool.run("store", "--help", in: folder).output
        for word in ["metadata", "destroy", "replace", "Exit status"] { #expect(help.contains(word)) }
        for command in ["destroy", "replace"] {
            let text = try Tool.run("store", command, "--help", in: folder).output
            for word in ["--confirm", "--wait", "--end-sessions", "--schema", "--database"] {
                #expect(text.contains(word))
            }
        }
    }
}
