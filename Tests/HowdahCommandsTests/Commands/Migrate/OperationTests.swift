import HowdahTesting
import PQClient
import Testing

/// What operators ask of a store that exists.
@Suite struct OperationTests {
    private static func folder() throws -> MigrationFolder {
        let name = MigrationFolder.attribute("name")
        return try MigrationFolder([
            "v1": name, "v2": name + MigrationFolder.attribute("age", "Integer 32"),
            "v3": name
                + "<attribute name=\"age\" attributeType=\"Integer 64\" usesScalarValueType=\"YES\"/>",
        ])
    }

    @Test func whatWasDoneIsListed() throws {
        let store = try Self.folder()
        let absent = try store.operate("history")
        #expect(absent.status == 1 && absent.complaint.contains(" has no store."), "\(absent)")
        try store.make("v1")
        #expect(try store.operate("history").output == "The store was not migrated yet.\n")
        #expect(try store.run("apply", "v2").status == 0)
        let list = try store.operate("history")
        #expect(list.output.contains("→") && list.output.contains("1 step"), "\(list)")
        let json = try store.operate("history", "--json").output
        for word in ["fromChecksum", "toChecksum", "seconds", "host", "role", "began"] {
            #expect(json.contains("\"\(word)\" :"), "\(json)")
        }
    }

    @Test func aLedgerWithoutHostsIsWidened() throws {
        let store = try Self.folder()
        try store.make("v1")
        #expect(try store.run("apply", "v2").status == 0)
        try store.sql("ALTER TABLE _howdah_migration DROP COLUMN host, DROP COLUMN role")
        #expect(try store.operate("history").status == 0)
        #expect(try store.run("apply", "v3").status == 0)
        #expect(
            try store.texts("SELECT host IS NOT NULL || '' FROM _howdah_migration ORDER BY number") == [
                "false", "true",
            ])
    }

    @Test func driftIsNamed() throws {
        let store = try Self.folder()
        try store.make("v2")
        let fine = try store.operate("verify")
        #expect(fine.status == 0 && fine.output == "The tables match the model.\n", "\(fine)")
        try store.sql("CREATE INDEX author_more ON author (name); CREATE TABLE other (n int)")
        let beside = try store.operate("verify")
        #expect(
            beside.status == 0 && beside.output.contains("not in the model: index author_more"), "\(beside)")
        #expect(try store.operate("verify", "--strict").status == 2)
        try store.sql("ALTER TABLE author DROP COLUMN age, ALTER COLUMN name SET NOT NULL")
        let drift = try store.operate("verify")
        #expect(
            drift.status == 2 && drift.output.contains("! column author.age is missing: integer"), "\(drift)")
        #expect(
            drift.output.contains("! column author.name is text COLLATE \"C\" NOT NULL, not text"), "\(drift)"
        )
        let json = try store.operate("verify", "--json")
        #expect(json.status == 2 && json.output.contains("\"additions\" : ["), "\(json)")
        #expect(
            try store.texts("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'howdah%'").isEmpty)
    }

    /// What is as the model makes it and has no effect is drift, too.
    @Test func rulesThatDoNotHoldAreDrift() throws {
        let mentor = "maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Author\""
        let store = try MigrationFolder([
            "v1":
                "<relationship name=\"mentor\" optional=\"YES\" \(mentor) inverseName=\"pupils\" inverseEntity=\"Author\"/>"
                + "<relationship name=\"pupils\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"Author\" inverseName=\"mentor\" inverseEntity=\"Author\"/>"
        ])
        try store.make("v1")
        #expect(try store.operate("verify").status == 0)
        try store.sql(
            "ALTER TABLE author DISABLE TRIGGER ALL; ALTER TABLE author ENABLE ROW LEVEL SECURITY; "
                + "CREATE RULE keep AS ON DELETE TO author DO INSTEAD NOTHING")
        let drift = try store.operate("verify")
        #expect(drift.status == 2, "\(drift)")
        for words in [
            "! table author is a table with row security, not a table",
            "! constraint author.author_mentor_fkey is ", "(its triggers are disabled)",
            "! rule author.keep is not in the model: ",
        ] {
            #expect(drift.output.contains(words), "\(words): \(drift)")
        }
    }

    @Test func aRecordThatWasEmptiedIsWrittenAgain() throws {
        let store = try Self.folder()
        try store.make("v2")
        try store.sql("DELETE FROM _howdah_store")
        #expect(try store.operate("doctor").output.contains("howdah migrate baseline"))
        let made = try store.run("baseline", "v2")
        #expect(made.status == 0, "\(made)")
        #expect(try store.run("status", "v2").status == 0)
    }

    @Test func tablesAreAdoptedWhereTheyAreWhatTheModelMakes() throws {
        let store = try Self.folder()
        try store.make("v2")
        try store.sql(
            """
            INSERT INTO author (_id, _version, name) VALUES (41, 1, 'Ada');
            DROP TABLE _howdah_store; DROP TABLE _howdah_save
            """)
        let wrong = try store.run("baseline", "v3")
        #expect(
            wrong.status == 2 && wrong.output.contains("! column author.age is integer, not bigint"),
            "\(wrong)")
        #expect(try store.texts("SELECT to_regclass('_howdah_store')::text") == ["nil"])
        let dry = try store.run("baseline", "v2", "--dry-run")
        #expect(dry.status == 0, "\(dry)")
        #expect(try store.texts("SELECT to_regclass('_howdah_store')::text") == ["nil"])
        let made = try store.run("baseline", "v2")
        #expect(made.status == 0 && made.output.contains("are now a store of the model"), "\(made)")
        #expect(try store.texts("SELECT nextval('_howdah_id')::text") == ["42"])
        #expect(try store.run("status", "v2").status == 0)
        let again = try store.run("baseline", "v2")
        #expect(
            again.status == 1 && again.complaint.contains("already has a store of this model"), "\(again)")
        #expect(try store.operate("history").output.contains("baseline"))
    }

    @Test func theDoctorNamesWhatHinders() throws {
        let store = try Self.folder()
        let absent = try store.operate("doctor")
        #expect(absent.status == 2 && absent.output.contains("has no store"), "\(absent)")
        try store.make("v2")
        let fine = try store.operate("doctor", "--model", "Library.xcdatamodeld")
        #expect(fine.output.contains("the store has the version v2"), "\(fine)")
        for check in ["indexes", "leftovers", "collations", "migration", "ids"] {
            #expect(fine.output.contains("ok       \(check): "), "\(fine)")
        }
        let connection = try store.connect()
        defer { connection.close() }
        let role = "howdah_reader_\(UInt32.random(in: 0...UInt32.max))"
        try connection.executeScript(
            """
            CREATE ROLE \(role);
            GRANT SELECT ON author TO \(role);
            CREATE TABLE _howdah_left (n int);
            INSERT INTO author (_id, _version, name) VALUES (7, 1, 'Ada');
            UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'author_pkey'::regclass
            """)
        defer { try? connection.executeScript("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let ill = try store.operate("doctor", "--role", role)
        #expect(ill.status == 2, "\(ill)")
        for words in [
            "GRANT INSERT, UPDATE, DELETE ON \"public\".\"author\" TO \"\(role)\"",
            "GRANT USAGE ON SEQUENCE \"public\".\"_howdah_id\"", "_howdah_left: reserved tables",
            "author_pkey: invalid", "an object has the id 7",
        ] {
            #expect(ill.output.contains(words), "\(words): \(ill.output)")
        }
        #expect(
            try store.operate("doctor", "--role", "nobody-at-all").output.contains(
                "the role nobody-at-all does not exist"))
        #expect(try store.operate("doctor", "--json").output.contains("\"severity\" : \"problem\""))
    }

    @Test func whatARoleMayNotReadIsSaid() throws {
        let store = try Self.folder()
        try store.make("v2")
        let role = "howdah_stranger_\(UInt32.random(in: 0...UInt32.max))"
        let connection = try store.connect()
        defer { connection.close() }
        try connection.executeScript("CREATE ROLE \(role) LOGIN")
        defer { try? connection.executeScript("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let url = store.database.url.replacing("user=postgres", with: "user=\(role)")
        func operate(_ command: String) throws -> Tool.Outcome {
            try Tool.run(["migrate", command, "--database", url], in: store.folder)
        }
        let stranger = try operate("doctor")
        #expect(stranger.status == 2, "\(stranger)")
        #expect(
            stranger.output.contains("cannot read the store: permission denied for table _howdah_store"),
            "\(stranger)")
        let refused = try operate("finish")
        #expect(
            refused.status == 1 && refused.complaint.contains("permission denied for table _howdah_store"),
            "\(refused)")
        try connection.executeScript("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
        let reader = try operate("doctor")
        #expect(
            reader.status == 2
                && reader.output.contains("not checked, because this role has no permission: "), "\(reader)")
        #expect(reader.output.contains("ok       collations: "), "\(reader)")
    }

    @Test func theNearestVersionIsNamed() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.folder.place(
            "<entity name=\"Author\">\(MigrationFolder.attribute("name"))\(MigrationFolder.attribute("a"))</entity>",
            at: "Other.xcdatamodeld/near.xcdatamodel")
        try store.folder.place("<entity name=\"Thing\"/>", at: "Other.xcdatamodeld/far.xcdatamodel")
        let found = try store.operate("doctor", "--model", "Other.xcdatamodeld")
        #expect(found.status == 2 && found.output.contains("nearest is near (1 difference: "), "\(found)")
    }
}
