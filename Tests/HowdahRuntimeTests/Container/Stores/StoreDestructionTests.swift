import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The end of a store: all of it goes, or nothing, whatever other programs and processes do.
@Suite(.timeLimit(.minutes(60))) struct StoreDestructionTests {
    /// What a schema has in it, without the columns, indexes and constraints of its tables.
    static func contents(_ sql: PlainSQL, _ schema: String = "public") throws -> [String] {
        try sql.rows(
            """
            SELECT c.relkind::text || ' ' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname = '\(schema)' AND relkind IN ('r', 'S', 'v', 'p')
            UNION ALL SELECT 'f ' || proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = '\(schema)'
            UNION ALL SELECT 't ' || typname FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace
            WHERE nspname = '\(schema)' AND typrelid = 0 AND typelem = 0 ORDER BY 1
            """
        ).compactMap { $0[0] }
    }

    static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func nothingOfAStoreStays() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Owner",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "things", to: "Thing", inverse: "owner", toMany: true, deleteRule: .cascade,
                        userInfo: [MappingKey.deleteTrigger: "true"]),
                ], userInfo: [MappingKey.versionTrigger: "true"]),
            EntityDescription(
                "Thing",
                properties: [.relationship("owner", to: "Owner", inverse: "things", deleteRule: .cascade)]),
        ])
        try await withTestDatabase(for: model) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows("CREATE TABLE theirs (id int)")
            try sql.rows("CREATE FUNCTION their_function() RETURNS int LANGUAGE sql AS 'SELECT 1'")
            #expect(try Self.contents(sql).count > 8)
            try await PersistentContainer.destroyStore(at: database.url)
            #expect(try Self.contents(sql) == ["f their_function", "r theirs"])
            #expect(
                await Self.code { _ = try await PersistentContainer.metadata(at: database.url) } == .notAStore
            )
            #expect(
                await Self.code { try await PersistentContainer.destroyStore(at: database.url) } == .notAStore
            )
            // It can be made again.
            let container = try await PersistentContainer.open(database.url, model: model)
            await container.close()
        }
    }

    @Test func aSchemaThatIsEmptyGoesAlong() async throws {
        var options = StoreOptions()
        options.schemaName = "tenant \"1\""
        let chosen = options
        try await withTestDatabase(for: Notebook.model(), options: chosen) { database in
            let sql = PlainSQL(url: database.url)
            let there = "SELECT count(*)::text FROM pg_namespace WHERE nspname = 'tenant \"1\"'"
            try sql.rows("CREATE TABLE \"tenant \"\"1\"\"\".theirs (id int)")
            try await PersistentContainer.destroyStore(at: database.url, options: chosen)
            #expect(try Self.contents(sql, "tenant \"1\"") == ["r theirs"])
            try sql.rows("DROP TABLE \"tenant \"\"1\"\"\".theirs")
            #expect(try sql.value(there) == "1")
            await (try PersistentContainer.open(database.url, model: Notebook.model(), options: chosen))
                .close()
            try await PersistentContainer.destroyStore(at: database.url, options: chosen)
            #expect(try sql.value(there) == "0")
        }
    }

    @Test func dependentObjectsAreNamedAndNothingGoes() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows("CREATE SCHEMA other")
            try sql.rows("CREATE VIEW other.titles AS SELECT name FROM folder")
            try sql.rows("CREATE TABLE other.bookmark (note bigint REFERENCES note (_id))")
            try sql.rows(
                "CREATE TABLE other.mail (id bigint DEFAULT nextval('public._howdah_id'), t text DEFAULT _howdah_fold_c_1('X'))"
            )
            let before = try Self.contents(sql)
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.destroyStore(at: database.url)
            }
            #expect(error?.code == .hasDependents)
            for name in ["other.titles", "other.bookmark", "other.mail"] {
                #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
            }
            #expect(
                error?.message.contains("trigger") == false
                    && error?.message.contains("_fkey on table note") == false)
            #expect(try Self.contents(sql) == before)
            try sql.rows("DROP SCHEMA other CASCADE")
            try await PersistentContainer.destroyStore(at: database.url)
            #expect(try Self.contents(sql) == [])
        }
    }

    @Test func anotherRoleIsRefusedBeforeAnythingGoes() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let sql = PlainSQL(url: database.url)
            try await sql.withRole { role in
                try sql.rows("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
                let before = try Self.contents(sql)
                let error = await #expect(throws: StoreError.self) {
                    try await PersistentContainer.destroyStore(at: sql.url(as: role))
                }
                #expect(error?.code == .missingGrant && error?.message.contains("postgres") == true)
                #expect(try Self.contents(sql) == before)
                // Of one table only.
                for table in before where table.hasPrefix("r ") && table != "r note" {
                    try sql.rows("ALTER TABLE \(table.dropFirst(2)) OWNER TO \(role)")
                }
                #expect(
                    await Self.code { try await PersistentContainer.destroyStore(at: sql.url(as: role)) }
                        == .missingGrant)
                #expect(try Self.contents(sql) == before)
            }
        }
    }

    @Test func tablesOfAnotherProgramStay() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Shop", properties: [.attribute("name", .string)],
                userInfo: [MappingKey.key: "id", MappingKey.version: MappingKey.noVersion])
        ])
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let sql = PlainSQL(url: database.url)
        try sql.rows("CREATE TABLE shop (id bigint PRIMARY KEY, name text COLLATE \"C\")")
        try sql.rows("INSERT INTO shop VALUES (1, 'a')")
        var options = StoreOptions()
        options.existingTables = true
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        try await container.setMetadata(["a": 1])
        #expect(try await container.metadata().usesExistingTables)
        await container.close()
        try await PersistentContainer.destroyStore(at: database.url)
        #expect(try Self.contents(sql) == ["r shop"])
        #expect(try sql.value("SELECT name FROM shop") == "a")
    }

    /// Both ways: refused, and with its sessions ended, after which it gets the error that says so.
    @Test(.needsSession) func anotherProcessThatHasTheStoreOpenIsNamedOrEnded() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let sql = PlainSQL(url: database.url)
            let program = try await TenantProgram(database.url)
            #expect(await program.ask("save") == "done")
            let before = try Self.contents(sql)
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.destroyStore(at: database.url, waiting: .milliseconds(300))
            }
            #expect(error?.code == .inUse && error?.message.contains("session ") == true)
            #expect(await program.ask("save") == "done")
            #expect(try Self.contents(sql) == before)
            #expect(try sql.value("SELECT count(*)::text FROM note") == "4")
            try await PersistentContainer.destroyStore(at: database.url, endingSessions: true)
            #expect(try Self.contents(sql) == [])
            #expect(await program.ask("fetch") == "StoreError.destroyed")
            #expect(await program.ask("save") == "StoreError.destroyed")
            // A store that is made again is another one.
            await (try PersistentContainer.open(database.url, model: Notebook.model())).close()
            #expect(await program.ask("save") == "StoreError.destroyed")
            #expect(await program.ask("metadata a b") == "StoreError.destroyed")
            #expect(try sql.value("SELECT count(*)::text FROM note") == "0")
            #expect(await program.end() == 0)
            // The program that may not use the store keeps nobody from destroying it.
            try await PersistentContainer.destroyStore(at: database.url)
        }
    }

    /// Whoever destroys or replaces a store may be stopped while it does; that must not stop others for ever.
    @Test(.needsSession, arguments: ["howdah-open:public", "howdah-gate:public"])
    func openingWaitsForADestructionAndEnds(_ key: String) async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            var options = StoreOptions()
            options.connectionWait = .seconds(4)
            let quick = options
            let other = try Connection(ConnectionConfiguration(database.url))
            try other.executeScript(
                "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('\(key)', 0)); LOCK TABLE _howdah_store IN ACCESS EXCLUSIVE MODE"
            )
            let clock = ContinuousClock.now
            #expect(
                await Self.code {
                    _ = try await PersistentContainer.open(
                        database.url, model: Notebook.model(), options: quick)
                } == .inUse)
            #expect(.now - clock < .seconds(60))
            options.connectionWait = .seconds(600)
            let patient = options
            async let opened = PersistentContainer.open(
                database.url, model: Notebook.model(), options: patient)
            try await Task.sleep(for: .milliseconds(200))
            try other.executeScript("COMMIT")
            let container = try await opened
            // The container keeps others from the store before its first unit of work.
            #expect(
                await Self.code {
                    try await PersistentContainer.destroyStore(
                        at: database.url, waiting: .milliseconds(100))
                } == .inUse)
            await container.close()
            try await PersistentContainer.destroyStore(at: database.url)
            // Where there is no store, those who make one wait for each other.
            try other.executeScript(
                "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('howdah:public', 0))")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: Notebook.model(), options: quick)
            }
            #expect(error?.code == .inUse && error?.message.contains("session ") == true)
            other.close()
        }
    }

    /// While another process writes without a pause, there is never half of a store.
    @Test(.needsSession) func aWriterEndsWithTheStore() async throws {
        for _ in 0..<TestTier.choose(quick: 3, all: 10, nightly: 50) {
            try await withTestDatabase(for: Notebook.model()) { database in
                let sql = PlainSQL(url: database.url)
                let program = try await TenantProgram(database.url)
                #expect(await program.ask("write") == "writing")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
                #expect(
                    await Self.code {
                        try await PersistentContainer.destroyStore(
                            at: database.url, waiting: .milliseconds(50))
                    } == .inUse)
                let counts = try sql.rows(
                    "SELECT (2 * (SELECT count(*) FROM folder))::text, (SELECT count(*) FROM note)::text")[0]
                #expect(counts[0] == counts[1])
                try await PersistentContainer.destroyStore(at: database.url, endingSessions: true)
                #expect(try Self.contents(sql) == [])
                let last = await program.answer()
                #expect(
                    last.hasSuffix("StoreError.destroyed") || last.hasSuffix("SaveError.database")
                        || last.hasSuffix("SaveError.outcomeUnknown"), "\(last)")
                #expect(await program.answer() == "StoreError.destroyed")
                #expect(await program.end() == 0)
            }
        }
    }

    @Test func anOpenTransactionOfAnotherProgramIsWaitedFor() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let sql = PlainSQL(url: database.url)
            let other = try Connection(ConnectionConfiguration(TestPooler.direct(database.url)))
            defer { other.close() }
            try other.executeScript("BEGIN; SELECT count(*) FROM note")
            let before = try Self.contents(sql)
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.destroyStore(at: database.url, waiting: .milliseconds(100))
            }
            #expect(error?.code == .inUse, "\(error.map { "\($0)" } ?? "")")
            #expect(try Self.contents(sql) == before)
            async let end: Void = PersistentContainer.destroyStore(at: database.url, waiting: .seconds(600))
            try await Task.sleep(for: .milliseconds(300))
            try other.executeScript("COMMIT")
            try await end
            #expect(try Self.contents(sql) == [])
        }
    }

    @Test func aMigrationKeepsOthersFromDestroying() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let other = try Connection(ConnectionConfiguration(TestPooler.direct(database.url)))
            defer { other.close() }
            _ = try other.query(
                "SELECT pg_advisory_lock(hashtextextended('howdah:public', 0))", cached: false)
            #expect(
                await Self.code {
                    try await PersistentContainer.destroyStore(
                        at: database.url, endingSessions: true, waiting: .milliseconds(100))
                } == .inUse)
            #expect(try PlainSQL(url: database.url).value("SELECT count(*)::text FROM note") == "0")
        }
    }

    /// The server's side of the connection dies after each statement that drops.
    @Test(arguments: ["DROP TABLE", "DROP FUNCTION", "DROP SEQUENCE"])
    func aKilledBackendLeavesAllOfTheStore(command: String) async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows(
                "CREATE FUNCTION die() RETURNS event_trigger LANGUAGE plpgsql AS "
                    + "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END'")
            try sql.rows(
                "CREATE EVENT TRIGGER die ON ddl_command_end WHEN TAG IN ('\(command)') EXECUTE FUNCTION die()"
            )
            let before = try Self.contents(sql)
            #expect(
                await Self.code { try await PersistentContainer.destroyStore(at: database.url) } == .database)
            #expect(try Self.contents(sql) == before)
            try sql.rows("DROP EVENT TRIGGER die")
            try await PersistentContainer.destroyStore(at: database.url)
            #expect(try Self.contents(sql) == ["f die"])
        }
    }

    /// Behind a pooler no session can hold a lock; each save looks for the store instead.
    @Test(.needsPgBouncer) func aProgramBehindAPoolerWritesNothingIntoAnotherStore() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let pooler = try PgBouncer(TestPooler.direct(database.url))
        let sql = PlainSQL(url: TestPooler.direct(database.url))
        let program = try await TenantProgram(pooler.url(through: sql.url))
        #expect(await program.ask("save") == "done")
        try await PersistentContainer.destroyStore(at: sql.url)
        #expect(try Self.contents(sql) == [])
        #expect(await program.ask("fetch") == "StoreError.destroyed")
        #expect(await program.ask("save") == "StoreError.destroyed")
        let other = try await PersistentContainer.open(sql.url, model: Notebook.model())
        try await Notebook.fill(other, folders: 3)
        let rows = try sql.rows("SELECT text, _version::text FROM note ORDER BY _id")
        for line in ["save", "update", "hold", "metadata a b"] {
            #expect(await program.ask(line) == "StoreError.destroyed", "\(line)")
        }
        #expect(try sql.rows("SELECT text, _version::text FROM note ORDER BY _id") == rows)
        await other.close()
        #expect(await program.end() == 0)
    }
}
