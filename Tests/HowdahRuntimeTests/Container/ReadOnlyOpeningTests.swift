import Howdah
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Containers that only read.
@Suite struct ReadOnlyOpeningTests {
    private static var readOnly: StoreOptions {
        var options = StoreOptions()
        options.isReadOnly = true
        return options
    }

    private static func fill(_ url: String) async throws {
        let container = try await PersistentContainer.open(url, model: Company.model())
        try await container.perform { context in
            Department(context: context).name = "Research"
            try context.save()
        }
        await container.close()
    }

    private static func refusal(_ body: () async throws -> Void) async -> SaveError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SaveError)?.code
        }
    }

    @Test func aRoleThatMayOnlySelectOpensAndReads() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            try await Self.fill(database.url)
            try sql.rows("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            try await sql.withRole { role in
                try sql.rows("GRANT USAGE ON SCHEMA public TO \(role)")
                try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
                let container = try await PersistentContainer.open(
                    sql.url(as: role), model: Company.model(), options: Self.readOnly)
                for isolation in [nil, Isolation.readCommitted, .repeatableRead, .serializable] {
                    let names = try await container.perform(isolation: isolation) { context in
                        try context.fetch(Department.self).map(\.name)
                    }
                    #expect(names == ["Research"])
                }
                #expect(await container.ready() == .ready)
                await container.close()
            }
        }
    }

    @Test(.needsSession) func nothingIsWritten() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            try await Self.fill(database.url)
            let log = LogRecorder()
            var options = Self.readOnly
            options.logger = log.logger
            // The owner, whose rights prevent nothing; and a setting that the caller wants.
            let container = try await PersistentContainer.open(
                database.url + "&options=-c%20default_transaction_read_only%3Doff", model: Company.model(),
                options: options)
            let opening = log.entries.count
            for isolation in [nil, Isolation.readCommitted] {
                let save = await Self.refusal {
                    try await container.perform(isolation: isolation) { context in
                        Department(context: context).name = "new"
                        try context.save()
                    }
                }
                #expect(save == .readOnly)
            }
            let rows: [[String: (any Sendable)?]] = [["name": "new"]]
            let batches = [
                await Self.refusal { try await container.insert(into: Department.self, from: rows) },
                await Self.refusal {
                    try await container.perform {
                        _ = try $0.execute(BatchUpdateRequest(Department.self, set: ["name": "new"]))
                    }
                },
                await Self.refusal {
                    try await container.perform { _ = try $0.execute(BatchDeleteRequest(Department.self)) }
                },
            ]
            #expect(batches == [.readOnly, .readOnly, .readOnly])
            let sent = log.entries.dropFirst(opening).compactMap { $0.metadata["db.query.text"] }
            #expect(sent.filter { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("ROLLBACK") } == [])
            // A child saves into its parent, which saves nothing.
            let child = await Self.refusal {
                try await container.perform { context in
                    let child = context.newChildContext()
                    Department(context: child).name = "new"
                    try child.save()
                    #expect(context.hasChanges)
                    try context.save()
                }
            }
            #expect(child == .readOnly)
            let ids = await Self.refusal {
                try await container.perform { context in
                    try context.obtainPermanentIDs(for: [Department(context: context)])
                }
            }
            #expect(ids == .readOnly)
            let whole = await #expect(throws: StoreError.self) {
                try await PersistentContainer.destroyStore(at: database.url, options: Self.readOnly)
            }
            #expect(whole?.code == .invalidOptions)
            // A program's own SQL is refused by the server.
            let own = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    _ = try context.fetchRows(
                        Int.self,
                        sql: "INSERT INTO department (_version, name) VALUES (1, 'own') RETURNING 1::bigint")
                }
            }
            #expect(own?.databaseError?.sqlState == SQLState.readOnlyTransaction)
            #expect(container.poolStatus.idle == 1, "the session is kept after a refusal that was asked for")
            await container.close()
            #expect(try sql.rows("SELECT name FROM department") == [["Research"]])
        }
    }

    @Test func nothingIsMadeOrMigrated() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        let none = await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(database.url, model: Company.model(), options: Self.readOnly)
        }
        #expect(none?.code == .notAStore)
        #expect(
            try PlainSQL(url: database.url).value(
                "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'") == "0")
        try database.drop()
        let old = try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("a", .string)])
        ])
        let new = try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("a", .string), .attribute("b", .string)])
        ])
        try await withTestDatabase(for: old) { database in
            var options = Self.readOnly
            options.shouldMigrateStoreAutomatically = true
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: new, options: options)
            }
            #expect(error?.code == .incompatibleModel)
            options.isReadOnly = false
            await (try PersistentContainer.open(database.url, model: new, options: options)).close()
        }
    }

    @Test func aLaterFormatThatMayBeReadIsRead() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            try PlainSQL(url: database.url).rows(
                "UPDATE _howdah_store SET format_version = \(StoreMetadata.formatVersion + 1), readable_from = 1, "
                    + "writable_from = \(StoreMetadata.formatVersion + 1)")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: Company.model())
            }
            #expect(error?.code == .incompatibleModel)
            let container = try await PersistentContainer.open(
                database.url, model: Company.model(), options: Self.readOnly)
            #expect(try await container.perform { try $0.count(for: FetchRequest<Department>()) } == 0)
            #expect(await container.ready() == .ready)
            await container.close()
        }
    }

    @Test func tokensOfSavesExcludeIt() async throws {
        var options = Self.readOnly
        options.resolvesLostCommits = true
        let error = await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(
                "postgres://localhost", model: Company.model(), options: options)
        }
        #expect(error?.code == .invalidOptions)
    }
}
