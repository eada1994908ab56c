import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Either everything is done and recorded, or the store is as it was.
@Suite struct StoreMigrationTests {
    private static func model(_ properties: PropertyDescription..., unique: [[String]] = []) throws
        -> ManagedObjectModel
    {
        try ManagedObjectModel(entities: [entity("Person", properties, unique: unique)])
    }

    /// A store with three people: Ada, Ada, and one without a name.
    private static func withPeople(
        _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        let model = try model(.attribute("name", .string))
        try await withTemporaryDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            try await container.perform { context in
                for name in ["Ada", "Ada", nil] { context.insert("Person")["name"] = name }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try await body(database, connection)
        }
    }

    private static func refusal(_ model: ManagedObjectModel, _ connection: Connection) throws
        -> MigrationError
    {
        let before = try StoreCatalogue(named: "public", on: connection)
        let error = #expect(throws: MigrationError.self) {
            try StoreMigration(connection, to: model).apply()
        }
        #expect(try StoreCatalogue(named: "public", on: connection).differences(from: before).isEmpty)
        return try #require(error)
    }

    @Test func rowsThatDoNotFitAreNamed() async throws {
        try await Self.withPeople { _, connection in
            let required = try Self.refusal(
                try Self.model(.attribute("name", .string, optional: false)), connection)
            #expect(required.code == .unfitData)
            #expect(
                required.message.contains(
                    "Person.name is required but has no value: 1 object (Person "))
            let unique = try Self.refusal(
                try Self.model(.attribute("name", .string), unique: [["name"]]), connection)
            #expect(unique.message.contains("2 objects (Person "))
            let rule = try Self.refusal(
                try Self.model(.attribute("name", .string, minimumLength: 20)), connection)
            #expect(rule.message.contains("the new rule of Person.name is violated: 2 objects"))
            let added = try Self.refusal(
                try Self.model(.attribute("name", .string), .attribute("age", .integer32, optional: false)),
                connection)
            #expect(added.message.contains("Person.age is required but has no value: 3 objects"))
        }
    }

    @Test func whatWasDoneIsRecorded() async throws {
        try await Self.withPeople { database, connection in
            let model = try Self.model(.attribute("name", .string), .attribute("age", .integer32))
            let runner = StoreMigration(connection, to: model)
            let planned = try runner.plan()
            let done = try runner.apply()
            #expect(done.stages.count == 1)
            #expect(done == planned)
            #expect(try runner.apply().stages.isEmpty)
            let rows = try connection.query(
                "SELECT \"to_checksum\" FROM \"_howdah_migration\"", cached: false
            ).map { $0[0].string() }
            #expect(rows == [model.versionChecksum])
            let container = try await PersistentContainer.open(database.url, model: model)
            await container.close()
        }
    }

    @Test func aStoreIsMigratedOnOpeningWhereAsked() async throws {
        try await Self.withPeople { database, _ in
            let model = try Self.model(
                .attribute("name", .string), .attribute("age", .integer32, default: 36))
            await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: model)
            }
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let container = try await PersistentContainer.open(database.url, model: model, options: options)
            let ages = try await container.perform { context in
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map {
                    $0["age"] as? Int64
                }
            }
            await container.close()
            #expect(ages == [36, 36, 36])
        }
    }

    @Test func whoHoldsATableIsNotWaitedForLong() async throws {
        try await Self.withPeople { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            try other.begin()
            _ = try other.query("SELECT * FROM \"person\"")
            var options = MigrationOptions()
            options.lockTimeout = .milliseconds(50)
            options.lockBudget = .milliseconds(200)
            let model = try Self.model(.attribute("name", .string), .attribute("age", .integer32))
            let runner = StoreMigration(connection, to: model, options: options)
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.code == .lockTimeout)
            try other.rollback()
            #expect(try runner.apply().stages.count == 1)
        }
    }

    @Test func oneRunnerWorksAtATime() async throws {
        try await Self.withPeople { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            _ = try other.query(
                "SELECT pg_catalog.pg_advisory_lock(pg_catalog.hashtextextended('howdah:public', 0))")
            var options = MigrationOptions()
            options.lockBudget = .milliseconds(200)
            let model = try Self.model(.attribute("name", .string), .attribute("age", .integer32))
            let error = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: model, options: options).apply()
            }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("session \(other.backendProcessID)") == true)
        }
    }
}
