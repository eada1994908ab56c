import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Stores behind an imitation of PgBouncer 1.21 and later, which translates the names of prepared statements.
@Suite(.serialized, .timeLimit(.minutes(30))) struct TranslatingPoolerTests {
    // MARK: The imitation

    @Test func aTypeChangePoisonsTheText() async throws {
        try await Self.behindPooler(sessions: 1) { pooler, direct in
            let sql = PlainSQL(url: direct)
            try sql.rows("CREATE TABLE thing (number integer)")
            let text = "SELECT number FROM thing"
            let first = try Connection(ConnectionConfiguration(pooler.url))
            defer { first.close() }
            _ = try first.query(text)
            try sql.rows("ALTER TABLE thing ALTER number TYPE bigint")
            // Whoever prepares the text, under whatever name, gets the statement of before.
            let second = try Connection(ConnectionConfiguration(pooler.url))
            defer { second.close() }
            for connection in [first, second, first, second] {
                let error = #expect(throws: PostgresError.self) { try connection.query(text) }
                #expect(error?.sqlState == "0A000", "\(String(describing: error?.message))")
            }
            // Another text of the same meaning is another statement.
            #expect(try second.query(text + " /* other */").rowCount == 0)
        }
    }

    @Test func namesAreThePoolersAndOthersAreUnknown() async throws {
        try await Self.behindPooler(sessions: 2, preparedStatements: 5) { pooler, _ in
            let connection = try Connection(ConnectionConfiguration(pooler.url))
            defer { connection.close() }
            let before = pooler.statementCount
            // More than a session keeps, several times over.
            for number in (0..<40).map({ $0 % 8 }) {
                let result = try connection.query("SELECT \(number)::bigint")
                #expect(result.row(0)[0].int64 == Int64(number))
            }
            // In both sessions: one of them may have had no statement.
            let other = try Connection(ConnectionConfiguration(pooler.url))
            defer { other.close() }
            var names: [String] = []
            for connection in [connection, other] { try connection.begin(isolation: .readCommitted) }
            for connection in [connection, other] {
                names += try connection.query("SELECT name::text FROM pg_prepared_statements", cached: false)
                    .map { $0[0].string() }
            }
            for connection in [connection, other] { try connection.rollback() }
            #expect(!names.isEmpty && names.allSatisfy { $0.hasPrefix("PGBOUNCER_") })
            let error = #expect(throws: PostgresError.self) {
                try connection.query("DEALLOCATE howdah_1", cached: false)
            }
            #expect(error?.sqlState == "26000")
            #expect(pooler.statementCount == before + 8)
        }
    }

    // MARK: Stores

    @Test func everyAnswerBelongsToItsStatement() async throws {
        let units = TestTier.choose(quick: 600, all: 5_000, nightly: 50_000)
        let seed = SeededGenerator.chosenSeed(orElse: 21)
        try await Self.behindPooler(sessions: 3) { pooler, _ in
            let container = try await PersistentContainer.open(pooler.url, model: MixedModel.first())
            try await MixedWorker.addBystanders(to: container)
            let workers = (0..<12).map { MixedWorker($0, container, schema: "public", seed: seed) }
            let outcomes = await MixedWorker.run(workers, units / workers.count)
            await container.close(drainingFor: .seconds(5))
            let failures = outcomes.compactMap(\.failure)
            #expect(failures.isEmpty, "HOWDAH_SEED=\(seed): \(failures.joined(separator: "\n"))")
        }
    }

    /// After a migration that changes a type, programs of the new version fetch at once.
    @Test func aMigrationThatChangesATypePoisonsNoFetch() async throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDescription("Thing", properties: [.attribute("number", type, optional: false)])
            ])
        }
        func count(_ container: PersistentContainer) async throws -> Int64? {
            try await container.perform { context in
                try context.fetch("Thing").first.flatMap { $0["number"] as? Int64 }
            }
        }
        try await Self.behindPooler(sessions: 2) { pooler, direct in
            let old = try await PersistentContainer.open(pooler.url, model: model(.integer32))
            try await old.perform { context in
                context.insert("Thing")["number"] = 7
                try context.save()
            }
            for _ in 0..<8 { _ = try await count(old) }
            await old.close(drainingFor: .seconds(5))
            // The migration has a session of its own.
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            try await PersistentContainer.open(direct, model: model(.integer64), options: options).close()
            let new = try await PersistentContainer.open(pooler.url, model: model(.integer64))
            for _ in 0..<8 { #expect(try await count(new) == 7) }
            await new.close(drainingFor: .seconds(5))
        }
    }

    @Test func aTimeoutCancelsBehindThePooler() async throws {
        try await Self.behindPooler(sessions: 1) { pooler, direct in
            let container = try await PersistentContainer.open(pooler.url, model: MixedModel.first())
            let start = ContinuousClock.now
            await #expect(throws: (any Error).self) {
                try await container.perform(timeout: .seconds(3)) { context in
                    try context.fetchRows(Int64.self, sql: "SELECT 1::bigint FROM pg_sleep(300)")
                }
            }
            #expect(ContinuousClock.now - start < .seconds(60))
            let running =
                "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' "
                + "AND state = 'active' AND pid <> pg_backend_pid()"
            while try PlainSQL(url: direct).value(running) != "0" {
                try #require(ContinuousClock.now - start < .seconds(60))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await container.perform { try $0.fetch("Alpha").count } == 0)
            await container.close(drainingFor: .seconds(5))
        }
    }

    private static func behindPooler(
        sessions: Int, preparedStatements: Int = 200, _ body: (TranslatingPooler, String) async throws -> Void
    ) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        do {
            let pooler = try TranslatingPooler(
                database.url, sessions: sessions, preparedStatements: preparedStatements)
            defer { pooler.stop() }
            try await body(pooler, database.url)
        } catch {
            try? database.drop()
            throw error
        }
        try database.drop()
    }
}
