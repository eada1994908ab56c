import HowdahTesting
import Testing

/// Names of what may go.
@Suite struct ConfirmationTests {
    private static func folder() throws -> MigrationFolder {
        let attribute = { (name: String) in MigrationFolder.attribute(name) }
        return try MigrationFolder([
            "v1": attribute("name") + attribute("note"), "v2": attribute("title") + attribute("remark"),
            "v3": attribute("name") + attribute("note") + MigrationFolder.attribute("age", "Integer 32"),
        ])
    }

    @Test func misspeltNamesAreRefused() throws {
        let store = try Self.folder()
        try store.make("v1")
        for command in ["apply", "plan", "status", "lint"] {
            let outcome = try store.run(command, "v2", "--confirm-drop", "Author.nmae")
            #expect(
                outcome.status == 64 && outcome.complaint.contains("Did you mean Author.name?"), "\(outcome)")
        }
        #expect(try store.run("apply", "v2", "--confirm-drop", "Writer").status == 64)
        #expect(try store.run("status", "v1").status == 0)
    }

    @Test func namesThatNobodyAskedForAreTold() throws {
        let store = try Self.folder()
        let made = try Self.folder().run("apply", "v1", "--confirm-drop", "Author.age")
        #expect(
            made.status == 0 && made.complaint.contains("--confirm-drop Author.age was not needed"), "\(made)"
        )
        try store.make("v1")
        let kept = try store.run("apply", "v3", "--confirm-drop", "Author.name")
        #expect(
            kept.status == 0 && kept.complaint.contains("--confirm-drop Author.name was not needed"),
            "\(kept)")
        // The same again, of a store that has the model by now.
        #expect(try store.run("apply", "v3", "--confirm-drop", "Author.name").status == 0)
        let drops = ["Author.name", "Author.note", "Author.age"].flatMap { ["--confirm-drop", $0] }
        for _ in 0..<2 {
            let outcome = try Tool.run(
                [
                    "migrate", "apply", "--model", "Library.xcdatamodeld", "--version", "v2", "--database",
                    store.database.url,
                ] + drops, in: store.folder)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    /// The word for all is that of what the refusal named, and of nothing else.
    @Test func allIsConfirmedByTheWordOfTheRefusal() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name, note) VALUES (1, 1, 'Ada', 'x')")
        let refused = try store.run("apply", "v2")
        #expect(refused.status == 3, "\(refused)")
        let word = try #require(refused.complaint.firstMatch(of: /--confirm-all-drops ([0-9a-f]{8})/)?.1)
        let other = try store.run("apply", "v2", "--confirm-all-drops", "all")
        #expect(other.status == 64 && other.complaint.contains("Author.name, Author.note"), "\(other)")
        let fewer = try store.run(
            "apply", "v2", "--confirm-drop", "Author.name", "--confirm-all-drops", String(word))
        #expect(fewer.status == 64, "\(fewer)")
        #expect(try store.run("plan", "v2", "--confirm-all-drops", String(word)).status == 2)
        #expect(try store.run("apply", "v2", "--confirm-all-drops", String(word)).status == 0)
        #expect(try store.run("apply", "v2", "--confirm-all-drops", String(word)).status == 0)
        try store.sql("UPDATE author SET title = 'Ada', remark = 'x'")
        let back = try store.run("apply", "v1")
        let another = try #require(back.complaint.firstMatch(of: /--confirm-all-drops ([0-9a-f]{8})/)?.1)
        #expect(another != word)
        #expect(try store.run("apply", "v1", "--confirm-all-drops", String(another)).status == 0)
    }

    /// The way back asks for everything at once: what only the later version has, and what does not fit the earlier.
    @Test func theWayBackIsConfirmedAtOnce() throws {
        let name = MigrationFolder.attribute("name")
        let store = try MigrationFolder([
            "v1": name + MigrationFolder.attribute("age", "Integer 32"),
            "v2": name + MigrationFolder.attribute("age", "String")
                + MigrationFolder.attribute("nick"),
        ])
        try store.make("v1")
        #expect(try store.run("apply", "v2").status == 0)
        try store.sql("INSERT INTO author (_id, _version, age, nick) VALUES (1, 1, '36', 'x')")
        let refused = try store.run("apply", "v1")
        #expect(refused.status == 3, "\(refused)")
        #expect(
            refused.complaint.contains("--confirm-drop Author.age --confirm-drop Author.nick"), "\(refused)")
        let word = try #require(refused.complaint.firstMatch(of: /--confirm-all-drops ([0-9a-f]+)/)).1
        let back = try store.run("apply", "v1", "--confirm-all-drops", String(word))
        #expect(back.status == 0, "\(back)")
    }

    /// An old checkout in a pipeline does not take the store back, unless it is told to.
    @Test func anOldModelWithoutVersionsDoesNotGoBackByItself() throws {
        let name = MigrationFolder.attribute("name")
        let store = try MigrationFolder(["v1": name, "v2": name + MigrationFolder.attribute("nick")])
        try store.folder.place(
            "<entity name=\"Author\">\(name)</entity>", at: "Old.xcdatamodeld/v1.xcdatamodel")
        try store.make("v1")
        #expect(try store.run("apply", "v2").status == 0)
        try store.sql("INSERT INTO author (_id, _version, name, nick) VALUES (1, 1, 'Ada', 'x')")
        for command in ["apply", "plan"] {
            let refused = try store.operate(command, "--model", "Old.xcdatamodeld")
            #expect(refused.status != 0 && refused.complaint.contains("--back or --version"), "\(refused)")
        }
        let asked = try store.operate("apply", "--model", "Old.xcdatamodeld", "--back")
        #expect(asked.status != 0 && asked.complaint.contains("--confirm-drop Author.nick"), "\(asked)")
        let back = try store.operate(
            "apply", "--model", "Old.xcdatamodeld", "--back", "--confirm-drop", "Author.nick")
        #expect(back.status == 0, "\(back)")
    }

    @Test func plansAreHeldToTheirVersions() throws {
        let store = try Self.folder()
        func write(_ drops: String, to version: String = "v2") throws {
            try store.folder.write(
                """
                model: Library.xcdatamodeld
                stages:
                  - from: v1
                    to: \(version)
                    confirmedDrops: [\(drops)]
                """, at: "plan.yml")
        }
        try store.make("v1")
        try write("Author.name, Author.noet")
        let misspelt = try store.planned("plan", "plan.yml")
        #expect(
            misspelt.status == 1 && misspelt.complaint.contains("line 3")
                && misspelt.complaint.contains("Did you mean Author.note?"), "\(misspelt)")
        try write("Author.name", to: "v3")
        let idle = try store.planned("plan", "plan.yml")
        #expect(
            idle.status == 2 && idle.complaint.contains("confirmedDrops Author.name of the stage"), "\(idle)")
        try write("Author.name, Author.note")
        let fine = try store.planned("apply", "plan.yml", "--quiet")
        #expect(fine.status == 0 && fine.complaint.isEmpty, "\(fine)")
        let new = try Tool.run(
            "migrate", "new", "--plan", "new.yml", "--model", "Library.xcdatamodeld", "--from", "v1", "--to",
            "v2", "--confirm-drop", "Author.nam", in: store.folder)
        #expect(new.status == 64 && new.complaint.contains("Did you mean Author.name?"), "\(new)")
    }
}
