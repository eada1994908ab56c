import PQClient
import Testing

@Suite struct MigrateCommandTests {
    private static let name = MigrationFolder.attribute("name")

    @Test func aStoreIsMadeThenMigrated() throws {
        let store = try MigrationFolder([
            "v1": Self.name, "v2": MigrationFolder.attribute("title", "String", "elementID=\"name\""),
            "v3": MigrationFolder.attribute("title", "Date", "elementID=\"name\""),
        ])
        #expect(try store.run("status", "v1").status == 2)
        let made = try store.run("apply", "v1")
        #expect(made.status == 0 && made.output == "created\n", "\(made)")
        #expect(try store.run("status", "v1").status == 0)
        let plan = try store.run("plan", "v2")
        #expect(plan.status == 2 && plan.output.contains("RENAME COLUMN \"name\" TO \"title\""), "\(plan)")
        let json = try store.run("plan", "v2", "--json")
        #expect(json.output.contains("\"lock\" : \"ACCESS EXCLUSIVE\""), "\(json)")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'Ada')")
        let refused = try store.run("apply", "v3")
        #expect(refused.status == 3 && refused.complaint.contains("Author.name"), "\(refused)")
        let migrated = try store.run("apply", "v2")
        #expect(migrated.status == 0 && migrated.output.hasPrefix("migrated: "), "\(migrated)")
        #expect(try store.run("apply", "v2").output == "The store already has the model.\n")
    }

    @Test func deferredWorkIsFinishedLater() throws {
        let store = try MigrationFolder([
            "v1": Self.name + MigrationFolder.attribute("nick"),
            "v2": Self.name + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/>"
                + "</uniquenessConstraint></uniquenessConstraints>",
        ])
        let absent = try store.operate("finish")
        #expect(absent.status == 1 && absent.complaint.contains(" has no store."), "\(absent)")
        #expect(try store.run("apply", "v1").status == 0)
        #expect(try store.operate("finish").output == "finished\n")
        let connection = try store.connect()
        defer { connection.close() }
        for key in 1...2 {
            _ = try connection.query(
                "INSERT INTO author (_id, _version, name, nick) VALUES (\(key), 1, 'Ada', 'x')", cached: false
            )
        }
        let plan = try store.run("plan", "v2", "--defer")
        #expect(plan.output.contains("1 online, 1 deferred"), "\(plan)")
        #expect(
            plan.output.hasSuffix("in code, or add to the command:\n--confirm-drop Author.nick\n"), "\(plan)")
        let unfit = try store.run("apply", "v2", "--defer", "--confirm-drop", "Author.nick")
        #expect(unfit.status == 4 && unfit.complaint.contains("2 objects (Author 1, Author 2)"), "\(unfit)")
        let status = try store.run("status", "v2")
        #expect(status.status == 2 && status.output.contains("… online  Author.name is unique"), "\(status)")
        #expect(try store.run("status", "v2", "--json").output.contains("\"pending\" : [\n"))
        let again = try store.run("apply", "v2")
        #expect(again.status == 4 && again.complaint.contains("2 objects (Author 1, Author 2)"), "\(again)")
        let one = try store.operate("finish", "--one")
        #expect(one.status == 2 && one.output.hasPrefix("1 step left\n"), "\(one)")
        #expect(try store.operate("finish", "--one").status == 4)
        _ = try connection.query("UPDATE author SET name = 'Eve' WHERE _id = 2", cached: false)
        let done = try store.operate("finish", "--json")
        #expect(done.status == 0 && done.output.contains("\"pending\" : ["), "\(done)")
        #expect(try store.run("status", "v2").status == 0)
        #expect(throws: PostgresError.self) {
            try connection.query("UPDATE author SET name = 'Ada'", cached: false)
        }
    }
}
