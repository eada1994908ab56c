import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// With a version trigger, a change by plain SQL is one that saves notice, and Howdah's own statements count as without.
@Suite struct VersionTriggerTests {
    private static func model() throws -> ManagedObjectModel {
        var model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string),
                    .attribute("size", .integer64, optional: false, derivation: "members.@count"),
                    .relationship(
                        "members", to: "Member", inverse: "team", toMany: true, deleteRule: .nullify),
                ]),
            EntityDescription(
                "Member",
                properties: [
                    .attribute("name", .string), .attribute("rank", .integer64),
                    .attribute("upper", .string, derivation: "uppercase:(name)"),
                    .relationship("team", to: "Team", inverse: "members"),
                ], uniquenessConstraints: [["name"]]),
        ]).entities
        for place in model.indices { model[place].userInfo[MappingKey.versionTrigger] = "YES" }
        return try ManagedObjectModel(entities: model)
    }

    /// A team with two members.
    private static func with(
        _ body: @escaping @Sendable (ManagedObjectContext, PlainSQL) throws -> Void,
        isolation: Isolation? = nil
    ) async throws {
        try await withStore(model()) { container, sql in
            try await container.perform { context in
                let team = context.insert("Team")
                team["name"] = "team"
                for name in ["a", "b"] {
                    let member = context.insert("Member")
                    (member["name"], member["team"]) = (name, team)
                }
                try context.save()
            }
            try await container.perform(isolation: isolation) { try body($0, sql) }
        }
    }

    private static func versions(_ sql: PlainSQL) throws -> [String?] {
        try sql.rows(
            "SELECT (SELECT string_agg(_version::text, ',' ORDER BY name) FROM member), (SELECT _version::text FROM team)"
        )[0]
    }

    private static func member(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch("Member", matching: .format("name == %@", name)).first)
    }

    @Test func aChangeByPlainSQLIsAConflict() async throws {
        try await Self.with { context, sql in
            let member = try Self.member("a", context)
            try sql.rows("UPDATE member SET rank = 7 WHERE name = 'a'")
            #expect(try Self.versions(sql) == ["2,1", "1"])
            member["name"] = "c"
            let error = try #require(throws: SaveError.self) { try context.save() }
            #expect(error.code == .conflict && error.conflicts.map(\.properties) == [["rank"]])
        }
    }

    @Test func whatChangesNothingCountsNothing() async throws {
        try await Self.with { _, sql in
            try sql.rows("UPDATE member SET rank = rank, name = 'a' WHERE name = 'a'")
            try sql.rows("UPDATE team SET size = 9")
            try sql.rows("UPDATE member SET _version = 5, rank = 1 WHERE name = 'b'")
            #expect(try Self.versions(sql) == ["1,5", "1"])
            // Another spelling of the same value is another value.
            try sql.rows("UPDATE member SET name = 'A' WHERE name = 'a'")
            #expect(try Self.versions(sql) == ["2,5", "1"])
        }
    }

    @Test func aForeignKeyThatClearsReferencesCounts() async throws {
        try await Self.with { _, sql in
            try sql.rows("DELETE FROM team")
            #expect(try Self.versions(sql) == ["2,2", nil])
        }
    }

    /// A save that has to write values in passing holds the trigger off for itself only.
    @Test func sqlBetweenTwoSavesOfATransactionCounts() async throws {
        try await Self.with(
            { context, sql in
                let (one, two) = (try Self.member("a", context), try Self.member("b", context))
                (one["name"], two["name"]) = ("b", "a")
                try context.save()
                _ = try context.fetchRows(sql: "UPDATE member SET rank = 3")
                let versions = try context.fetchRows(
                    Int64.self, sql: "SELECT _version FROM member ORDER BY name")
                #expect(versions == [3, 3])
                one["rank"] = Int64(4)
                #expect(throws: SaveError.self) { try context.save() }
            }, isolation: .readCommitted)
    }

    @Test func exchangedUniqueValuesAreNoConflict() async throws {
        try await Self.with { context, sql in
            let (one, two) = (try Self.member("a", context), try Self.member("b", context))
            (one["name"], two["name"]) = ("b", "a")
            try context.save()
            #expect(try Self.versions(sql) == ["2,2", "1"])
            one["rank"] = Int64(1)
            try context.save()
        }
    }

    /// A row that an application's trigger writes is another program's change, also in a save.
    @Test func whatAnApplicationsTriggerWritesCounts() async throws {
        try await Self.with { context, sql in
            try sql.rows(
                """
                CREATE FUNCTION rename_team() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN UPDATE public.team SET name = NEW.name WHERE _id = NEW.team; RETURN NULL; END'
                """)
            try sql.rows(
                "CREATE TRIGGER rename_team AFTER UPDATE ON member FOR EACH ROW EXECUTE FUNCTION rename_team()"
            )
            let (one, two) = (try Self.member("a", context), try Self.member("b", context))
            one["rank"] = Int64(1)
            try context.save()
            #expect(try Self.versions(sql) == ["2,1", "2"])
            // The setting of this save is on.
            (one["name"], two["name"]) = ("b", "a")
            try context.save()
            let version = try sql.value("SELECT _version::text FROM team")
            #expect(version.flatMap { Int($0) }.map { $0 > 2 } == true)
        }
    }

    /// What the setting of a database says counts for no session of ours.
    @Test(.needsSession) func aSettingOfTheDatabaseDoesNotHoldItOff() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let sql = PlainSQL(url: database.url)
            let name = try #require(try sql.value("SELECT quote_ident(current_database())"))
            try sql.rows("ALTER DATABASE \(name) SET howdah.save = 'on'")
            let container = try await PersistentContainer.open(database.url, model: Self.model())
            try await container.perform { context in
                context.insert("Member")["name"] = "a"
                try context.save()
            }
            let versions = try await container.perform(isolation: .readCommitted) { context in
                _ = try context.fetchRows(sql: "UPDATE member SET rank = 3")
                return try context.fetchRows(Int64.self, sql: "SELECT _version FROM member")
            }
            #expect(versions == [2])
            await container.close(drainingFor: .seconds(5))
        }
    }

    @Test func batchesCountOnce() async throws {
        try await Self.with { context, sql in
            let request = FetchRequest<ManagedObject>(entityName: "Member")
            _ = try context.execute(BatchUpdateRequest(request, set: ["rank": .value(3)]))
            #expect(try Self.versions(sql) == ["2,2", "1"])
            let rows: [[String: Any]] = [["name": "a", "rank": 5], ["name": "c", "rank": 6]]
            _ = try context.execute(
                BatchInsertRequest(
                    ManagedObject.self, entityName: "Member", objects: rows,
                    uniqueness: .mergeByPropertyObjectTrump))
            #expect(try Self.versions(sql) == ["3,2,1", "1"])
        }
    }

    /// The same saves and batch updates give the same versions with triggers and without. What foreign keys clear after a
    /// batch deletion is another change, see ``aForeignKeyThatClearsReferencesCounts()``.
    @Test(arguments: [1, 2, 3] as [UInt64]) func ownStatementsCountAsWithout(seed: UInt64) async throws {
        let plain = try await Self.versions(after: seed, DerivedModel.model())
        var entities = try DerivedModel.model().entities
        for place in entities.indices where entities[place].superentity == nil {
            entities[place].userInfo[MappingKey.versionTrigger] = "YES"
        }
        let watched = try await Self.versions(after: seed, ManagedObjectModel(entities: entities))
        #expect(plain.count > 50, "seed \(seed)")
        #expect(Set(plain).symmetricDifference(watched) == [], "seed \(seed)")
    }

    private static func versions(after seed: UInt64, _ model: ManagedObjectModel) async throws -> [[String?]]
    {
        try await withStore(model) { container, sql in
            try await BatchDerivedTests.populate(container, seed: seed)
            try await container.perform { context in
                var random = SeededGenerator(seed: seed)
                for step in 0..<25 {
                    for _ in 0..<5 { try RandomDerivedTests.act(context, &random) }
                    try context.save()
                    if step.isMultiple(of: 3) { try BatchDerivedTests.act(context, &random, deletes: false) }
                    context.reset()
                }
            }
            let tables = ["firm", "department", "employee", "skill", "desk"]
            return try sql.rows(
                tables.map { "SELECT '\($0)', _id::text, _version::text FROM \($0)" }.joined(
                    separator: " UNION ALL ")
                    + " ORDER BY 1, 2")
        }
    }

    @Test func wrongUsesAreRefused() throws {
        func issues(_ userInfo: [String: String], superentity: String? = nil) -> [String] {
            var entities = [EntityDescription("Root", properties: [.attribute("name", .string)])]
            entities.append(
                EntityDescription("Other", superentity: superentity, properties: [.attribute("x", .string)]))
            entities[1].userInfo = userInfo
            do {
                _ = try StoreSchema(ManagedObjectModel(entities: entities))
                return []
            } catch {
                return ["\(error)"]
            }
        }
        #expect(issues([MappingKey.versionTrigger: "YES"]) == [])
        #expect(
            issues([MappingKey.versionTrigger: "maybe"]).first?.contains("neither \"YES\" nor \"NO\"") == true
        )
        #expect(
            issues([MappingKey.versionTrigger: "YES"], superentity: "Root").first?.contains(
                "Set howdah.versionTrigger in Root") == true)
        #expect(
            issues([MappingKey.versionTrigger: "YES", MappingKey.version: "number"]).first?.contains(
                "another program") == true)
    }
}
