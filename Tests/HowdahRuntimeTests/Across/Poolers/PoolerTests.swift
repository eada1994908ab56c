import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Stores behind PgBouncer 1.18 in transaction mode, where any of a few sessions answers any statement.
@Suite(.serialized, .needsPgBouncer, .timeLimit(.minutes(60))) struct PoolerTests {
    /// Two containers of different models, with 8 connections each, share three sessions. Every answer belongs to its
    /// statement, and the rows are those that their writers remember.
    @Test func everyAnswerBelongsToItsStatement() async throws {
        let units = TestTier.choose(quick: 1_000, all: 20_000, nightly: 200_000)
        let seed = SeededGenerator.chosenSeed(orElse: 18)
        try await Self.behindPgBouncer { pooler, direct in
            let url = pooler.url(through: direct)
            var options = StoreOptions()
            let first = try await PersistentContainer.open(url, model: MixedModel.first(), options: options)
            options.schemaName = "second"
            let second = try await PersistentContainer.open(url, model: MixedModel.second(), options: options)
            for container in [first, second] { try await MixedWorker.addBystanders(to: container) }
            let workers = (0..<20).map { number in
                number.isMultiple(of: 2)
                    ? MixedWorker(number, first, schema: "public", seed: seed)
                    : MixedWorker(number, second, schema: "second", seed: seed)
            }
            let outcomes = await MixedWorker.run(workers, units / workers.count)
            await first.close(drainingFor: .seconds(5))
            await second.close(drainingFor: .seconds(5))
            let failures = outcomes.compactMap(\.failure)
            #expect(failures.isEmpty, "HOWDAH_SEED=\(seed): \(failures.joined(separator: "\n"))")
            guard failures.isEmpty else { return }
            for entity in MixedModel.entities {
                for schema in ["public", "second"] {
                    let wanted = outcomes.map(\.worker).filter { $0.schema == schema }
                        .flatMap { worker in (worker.rows[entity] ?? [:]).map { Self.line(worker, $0, $1) } }
                    #expect(
                        try Self.stored(entity, schema, direct) == Set(wanted),
                        "HOWDAH_SEED=\(seed): \(entity)")
                }
            }
        }
    }

    @Test func anEmptyDatabaseBecomesAStoreAndOpensAgain() async throws {
        try await Self.behindPgBouncer { pooler, direct in
            let url = pooler.url(through: direct)
            for round in 0..<3 {
                let container = try await PersistentContainer.open(url, model: MixedModel.first())
                let count = try await container.perform { context in
                    let object = context.insert("Alpha")
                    object["token"] = UUID()
                    object["owner"] = 1
                    object["value"] = round
                    try context.save()
                    return try context.count(for: FetchRequest<ManagedObject>(entityName: "Alpha"))
                }
                #expect(count == round + 1)
                await container.close()
            }
            #expect(try Psql(url: direct).rows("SELECT count(*) FROM _howdah_store") == [["1"]])
        }
    }

    @Test func anotherModelIsRefusedAndTheStoreStaysUsable() async throws {
        try await Self.behindPgBouncer { pooler, direct in
            let url = pooler.url(through: direct)
            let container = try await PersistentContainer.open(url, model: MixedModel.first())
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(url, model: MixedModel.second())
            }
            #expect(error?.code == .incompatibleModel)
            let count = try await container.perform {
                try $0.count(for: FetchRequest<ManagedObject>(entityName: "Beta"))
            }
            #expect(count == 0)
            await container.close()
        }
    }

    @Test func aMigrationIsRefusedWithTheRemedy() async throws {
        try await Self.behindPgBouncer { pooler, direct in
            let url = pooler.url(through: direct)
            try await PersistentContainer.open(url, model: MixedModel.first()).close()
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(url, model: MixedModel.second(), options: options)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(error?.code == .migrationFailed && text.contains("StoreOptions.pooler"), "\(text)")
            // The store is as it was, and no lock is left on a session of the pooler's.
            try await PersistentContainer.open(url, model: MixedModel.first()).close()
            let locks =
                "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database "
                + "WHERE locktype = 'advisory' AND d.datname = current_database()"
            #expect(try Psql(url: direct).rows(locks) == [["0"]])
        }
    }

    /// What the operator says needs no finding out.
    @Test func transactionModeCanBeSaid() async throws {
        try await Self.behindPgBouncer { pooler, direct in
            var options = StoreOptions()
            options.pooler = .transaction
            let container = try await PersistentContainer.open(
                pooler.url(through: direct), model: MixedModel.first(), options: options)
            let workers = (0..<8).map { MixedWorker($0, container, schema: "public", seed: 5) }
            let failures = await MixedWorker.run(workers, 40).compactMap(\.failure)
            #expect(failures.isEmpty, "\(failures)")
            await container.close()
        }
    }

    /// A container in session mode keeps its sessions, and all works as without a pooler.
    @Test func sessionModeIsADirectConnection() async throws {
        var settings = PgBouncer.Options()
        settings.poolMode = .session
        settings.poolSize = 10
        try await Self.behindPgBouncer(settings) { pooler, direct in
            var options = StoreOptions()
            options.pooler = .session
            let container = try await PersistentContainer.open(
                pooler.url(through: direct), model: MixedModel.first(), options: options)
            let workers = (0..<8).map { MixedWorker($0, container, schema: "public", seed: 4) }
            let failures = await MixedWorker.run(workers, 40).compactMap(\.failure)
            #expect(failures.isEmpty, "\(failures)")
            await container.close()
        }
    }

    /// A transaction for which the pooler has no server was sent to none.
    @Test(arguments: [1, 2]) func waitsInThePoolersQueueStoreNothing(count: Int) async throws {
        var settings = PgBouncer.Options()
        (settings.poolSize, settings.settings["query_wait_timeout"]) = (1, "1")
        try await Self.behindPgBouncer(settings) { pooler, direct in
            let url = pooler.url(through: direct)
            let container = try await PersistentContainer.open(url, model: Company.model())
            // Draws keys, so that the next save begins with what is to be stored.
            try await container.perform { context in
                Department(context: context).name = "earlier"
                try context.save()
            }
            let holder = try Connection(ConnectionConfiguration(url))
            try holder.begin()
            _ = try holder.query("SELECT 1", cached: false)
            let error = try await container.perform { context in
                for number in 0..<count { Department(context: context).name = "\(number)" }
                return saveError { try context.save() }
            }
            #expect(
                error?.code == .database && error?.databaseError?.mayHaveCommitted == false, "\(error as Any)"
            )
            try holder.rollback()
            holder.close()
            try await container.perform { context in
                Department(context: context).name = "later"
                try context.save()
                try #expect(context.count(Department.self) == 2)
            }
            await container.close()
        }
    }

    /// A function of the user may raise what poolers send.
    @Test func whatAFunctionRaisesIsNoLostConnection() async throws {
        try await Self.behindPgBouncer { pooler, direct in
            let container = try await PersistentContainer.open(
                pooler.url(through: direct), model: Company.model())
            try PlainSQL(url: direct).script(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '08006', CONSTRAINT = 'secret'; END $$
                """)
            try PlainSQL(url: direct).script(
                "CREATE TRIGGER refusing BEFORE INSERT ON department FOR EACH ROW EXECUTE FUNCTION refuse()")
            let error = try await container.perform { context in
                Department(context: context).name = "A"
                return saveError { try context.save() }
            }
            #expect(error?.code == .database && error?.databaseError?.code == .server, "\(error as Any)")
            #expect(error?.databaseError?.mayHaveCommitted == false)
            #expect(error?.description.contains("secret") == false)
            await container.close()
        }
    }

    // MARK: Support

    private static func behindPgBouncer(
        _ settings: PgBouncer.Options = PgBouncer.Options(), _ body: (PgBouncer, String) async throws -> Void
    ) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        let pooler = try PgBouncer(database.url, options: settings)
        do {
            try await body(pooler, database.url)
        } catch {
            pooler.stop()
            try? database.drop()
            throw error
        }
        pooler.stop()
        try database.drop()
    }

    private static func line(_ worker: MixedWorker, _ token: UUID, _ row: MixedRow) -> [String] {
        [token.uuidString.lowercased(), String(worker.number), String(row.value)]
    }

    private static func stored(_ entity: String, _ schema: String, _ url: String) throws -> Set<[String]> {
        Set(
            try Psql(url: url).rows(
                "SELECT token, owner, value::int8 FROM \"\(schema)\".\"\(entity.lowercased())\" WHERE owner >= 0"
            ))
    }
}
