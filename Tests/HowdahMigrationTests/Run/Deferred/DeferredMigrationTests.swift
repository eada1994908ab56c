import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// The store has the new model at once, and becomes a fresh one while it is in use.
@Suite struct DeferredMigrationTests {
    private static func numbers(_ sql: String, _ connection: Connection) throws -> [Int64] {
        try connection.query("SELECT CAST((\(sql)) AS bigint)", cached: false).map { $0[0].int64 }
    }

    @Test func theStoreIsUsedBeforeItIsFinished() async throws {
        try await Register.with { database, connection in
            let files = "SELECT pg_catalog.pg_relation_filenode('person')"
            let file = try Self.numbers(files, connection)
            guard try !Register.runner(connection).apply().stages.isEmpty else {
                Issue.record("nothing was done")
                return
            }
            let work = PendingWork(connection, in: "public")
            #expect(try work.steps().allSatisfy { $0.step.execution == .deferred })
            #expect(try await !Register.differences(database).isEmpty)

            let container = try await PersistentContainer.open(database.url, model: Register.new())
            try await container.perform { context in
                let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
                #expect(people.count == 20 && people.count { $0["age"] as? Int64 == 30 } == 15)
                let person = context.insert("Person")
                person["title"] = "21"
                person["age"] = 3
                people.first?["height"] = 160
                if let last = people.last { context.delete(last) }
                try context.save()
                // What is not looked at yet holds for new values.
                context.insert("Person")["title"] = "21"
                #expect(throws: SaveError.self) { try context.save() }
                context.reset()
            }
            #expect(try await container.pendingMigrationSteps == work.steps())
            var count = try work.steps().count
            while try await container.finishDeferredLightweightMigrationTask() {
                count -= 1
                #expect(try work.steps().count == count)
            }
            #expect(count == 1)
            #expect(try await container.pendingMigrationSteps.isEmpty)
            try await container.finishDeferredLightweightMigration()
            #expect(try await !container.finishDeferredLightweightMigrationTask())
            await container.close()
            #expect(try await Register.differences(database) == [])
            #expect(try Self.numbers(files, connection) == file)
        }
    }

    @Test func duplicatesAreNamedAndTheStoreStaysUsable() async throws {
        try await Register.with(twins: true) { database, connection in
            let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
            #expect(error?.code == .unfinished)
            #expect(
                error?.message.contains("objects share values: 2 objects (Person ") == true, "\(error!)")
            let unique = "SELECT count(*) FROM pg_catalog.pg_index i WHERE i.indrelid = 'person'::regclass "
            // What a failed build leaves would refuse rows.
            #expect(try Self.numbers(unique + "AND NOT i.indisvalid", connection) == [0])
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let container = try await PersistentContainer.open(
                database.url, model: Register.new(), options: options)
            let pending = try await container.pendingMigrationSteps
            #expect(pending.last?.failure?.contains("2 objects") == true, "\(pending)")
            await #expect(throws: StoreError.self) {
                try await container.finishDeferredLightweightMigration()
            }
            // All but the one was done.
            #expect(try await container.pendingMigrationSteps.count == 1)

            // Somebody's own attempt, which the server leaves behind.
            let statement = try #require(pending.last?.step.statements.first)
            #expect(throws: PostgresError.self) { try connection.query(statement, cached: false) }
            #expect(try Self.numbers(unique + "AND NOT i.indisvalid", connection) == [1])
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = .format("title == 'twin'")
                let twins = try context.fetch(request)
                twins.last?["title"] = "other"
                try context.save()
            }
            try await container.finishDeferredLightweightMigration()
            try await container.perform { context in
                context.insert("Person")["title"] = "twin"
                #expect(throws: SaveError.self) { try context.save() }
                context.reset()
            }
            await container.close()
            #expect(try await Register.differences(database) == [])
        }
    }

    @Test func theNextMigrationFinishesFirst() async throws {
        try await Register.with { database, connection in
            _ = try Register.runner(connection).apply()
            let model = try ManagedObjectModel(
                entities: try Register.new().entities + [entity("Gone", [.attribute("text", .string)])])
            _ = try StoreMigration(connection, to: model).apply()
            #expect(try PendingWork(connection, in: "public").steps().isEmpty)
            let fresh = try await MigrationTrial.freshCatalogue(of: model)
            #expect(try MigrationTrial.catalogue(database).differences(from: fresh) == [])
        }
    }

    /// Values that an attribute no longer has in rows of some entities go later; who reads the store's record sees that.
    @Test func whatNobodyObservesIsClearedLater() async throws {
        func model(_ shared: [PropertyDescription], _ own: [PropertyDescription]) throws -> ManagedObjectModel
        {
            try ManagedObjectModel(entities: [
                entity("Base", shared, abstract: true), entity("A", own, super: "Base"),
                entity("B", super: "Base"),
            ])
        }
        let old = try model([.attribute("x", .string)], [])
        let new = try model([], [.attribute("x", .string)])
        try await withTemporaryDatabase(for: old) { database in
            let container = try await PersistentContainer.open(database.url, model: old)
            try await container.perform { context in
                for name in ["A", "B"] { context.insert(name)["x"] = name }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            _ = try connection.query("GRANT SELECT ON _howdah_store TO pg_monitor", cached: false)
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = true
            options.confirmedDrops = ["Base.x"]
            _ = try StoreMigration(connection, to: new, options: options).apply()
            let values =
                "SELECT count(*) FROM base AS b CROSS JOIN pg_catalog.jsonb_each_text(pg_catalog.to_jsonb(b)) AS e "
                + "WHERE e.key LIKE '%x' AND e.value IS NOT NULL"
            #expect(try Self.numbers(values, connection) == [2])
            let mayRead = "pg_catalog.has_table_privilege('pg_monitor', '_howdah_pending', 'SELECT')"
            #expect(try Self.numbers("SELECT \(mayRead)::integer", connection) == [1])
            try DeferredWork(connection).finish()
            #expect(try Self.numbers(values + " AND _entity = 'A'", connection) == [1])
            #expect(try Self.numbers(values, connection) == [1])
        }
    }

    /// What was cut off before rows had their values is done before a program opens the store, batch by batch.
    @Test func missingValuesAreWrittenBeforeTheStoreOpens() async throws {
        try await Register.with(count: 3_000) { database, connection in
            try Self.cutOff(connection, database, atBatch: 2)
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            let pending = try PendingWork(other, in: "public").steps()
            #expect(pending.first?.isAwaited == true && pending.first?.lastKey != nil, "\(pending)")
            #expect(try Self.numbers("SELECT count(*) FROM person WHERE age = 30", other) == [995])
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: Register.new())
            }
            #expect(error?.message.contains("howdah migrate finish") == true, "\(String(describing: error))")
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let container = try await PersistentContainer.open(
                database.url, model: Register.new(), options: options)
            #expect(try Self.numbers("SELECT count(*) FROM person WHERE age = 30", other) == [2_995])
            try await container.finishDeferredLightweightMigration()
            await container.close()
            #expect(try await Register.differences(database) == [])
        }
    }

    /// A row that lacks several values that are required now gets all of them at once: the check of each refuses the row
    /// while it lacks another.
    @Test func severalMissingValuesAreWrittenTogether() async throws {
        func model(optional: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                entity(
                    "Note",
                    [
                        .attribute("stars", .integer32, optional: optional, default: 5),
                        .attribute("text", .string, optional: optional, default: "…"),
                        .attribute("weight", .double, optional: optional, default: .double(1.5)),
                    ])
            ])
        }
        let (old, new) = (try model(optional: true), try model(optional: false))
        try await withTemporaryDatabase(for: old) { database in
            let container = try await PersistentContainer.open(database.url, model: old)
            try await container.perform { context in
                for number in 0..<8 {
                    let note = context.insert("Note")
                    note["stars"] = number & 1 == 0 ? nil : 1
                    note["text"] = number & 2 == 0 ? nil : "a"
                    note["weight"] = number & 4 == 0 ? nil : 0.5
                }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = true
            _ = try StoreMigration(connection, to: new, options: options).apply()
            for (rows, count) in [
                ("stars = 5", 4), ("text = '…'", 4), ("weight = 1.5", 4),
                ("stars = 1 AND text = 'a' AND weight = 0.5", 1),
            ] {
                let found = try Self.numbers("SELECT count(*) FROM note WHERE \(rows)", connection)
                #expect(found == [Int64(count)], "\(rows)")
            }
            try DeferredWork(connection).finish()
            #expect(try PendingWork(connection, in: "public").steps().isEmpty)
        }
    }

    /// Where a row is in the way of a value that it has to get, it is told which, and by which rule.
    @Test func aRowThatCannotGetItsValueIsTold() async throws {
        try await Register.with { database, connection in
            _ = try connection.query("UPDATE person SET height = 0 WHERE age IS NULL", cached: false)
            let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
            #expect(error?.code == .unfinished, "\(String(describing: error))")
            #expect(
                error?.message.contains("default of Person.age: ") == true, "\(String(describing: error))")
            #expect(error?.message.contains("(15 rows: person ") == true, "\(String(describing: error))")
            _ = try connection.query("UPDATE person SET height = 1, age = 30 WHERE height = 0", cached: false)
            try DeferredWork(connection).finish()
            #expect(try await Register.differences(database) == [])
        }
    }

    /// Ends the migrating session as it is about to commit a batch.
    private static func cutOff(
        _ connection: Connection, _ database: TemporaryDatabase, atBatch last: Int
    ) throws {
        let batches = Mutex(0)
        let (url, session) = (database.url, connection.backendProcessID)
        connection.observer = { event in
            guard event.sql.contains("SET \"last_key\"") else { return }
            let count = batches.withLock {
                $0 += 1
                return $0
            }
            guard count == last, let killer = try? Connection(ConnectionConfiguration(url)) else { return }
            _ = try? killer.query("SELECT pg_catalog.pg_terminate_backend(\(session))", cached: false)
            killer.close()
        }
        let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
        #expect(error?.code == .database, "\(String(describing: error))")
    }

    @Test("An index of another program does not pass for the index of a step")
    func foreignIndex() async throws {
        try await Register.with { _, connection in
            try connection.executeScript("CREATE INDEX person_title_key ON person (height)")
            let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
            #expect(error?.code == .unfinished)
            #expect(
                error?.message.contains("another index has the name \"person_title_key\" already") == true,
                "\(String(describing: error))")
            let steps = try PendingWork(connection, in: "public").steps()
            let step = try #require(
                steps.first {
                    if case .index("person_title_key") = $0.step.work { true } else { false }
                })
            #expect(step.failure != nil)
            // One that an earlier run has made does.
            let own = step.step.statements[0].replacing(" CONCURRENTLY", with: "")
            try connection.executeScript("ALTER INDEX person_title_key RENAME TO other; \(own)")
            try DeferredWork(connection).finish()
            let drift = try StoreVerification(connection).drift()
            #expect(drift.differences == [] && drift.additions == ["index other"])
        }
    }
}
