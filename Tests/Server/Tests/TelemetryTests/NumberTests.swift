import CoreMetrics
import Howdah
import HowdahTesting
import MetricsTestKit
import PQClient
import Testing

/// The values of metrics: each statement once, and errors in a limited number of labels.
@Suite struct NumberTests {
    private static func options(_ metrics: TestMetrics) -> StoreOptions {
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        return options
    }

    private static func label(_ name: String, of timer: TestTimer) -> String? {
        timer.dimensions.first { $0.0 == name }?.1
    }

    private static func values(
        _ metrics: TestMetrics, _ operation: String, _ collection: String
    ) -> [Int64] {
        metrics.timers(label: "db.client.operation.duration").filter {
            label("db.operation.name", of: $0) == operation
                && label("db.collection.name", of: $0) == collection
        }.flatMap(\.values)
    }

    @Test func eachStatementIsOneValue() async throws {
        let metrics = TestMetrics()
        try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
            container.statementLog.stop()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await container.perform { context in
                            for _ in 0..<200 {
                                _ = try context.count(
                                    for: FetchRequest<ManagedObject>(entityName: "Employee"))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = Self.values(metrics, "SELECT", "employee")
            #expect(values.count == 800)
            #expect(values.allSatisfy { $0 > 0 })
            let rows = metrics.recorders.filter { $0.label == "db.client.response.returned_rows" }
                .flatMap(\.values)
            #expect(rows.count >= 800)
            let units = metrics.timers(label: "howdah.perform.duration").flatMap(\.values)
            #expect(units.count == 4)
            #expect(metrics.timers(label: "db.client.connection.use_time").flatMap(\.values).count == 4)
        }
    }

    /// Only rows that were returned count as such, with and without an observer that needs each event.
    @Test(arguments: [false, true]) func ownSQLThatWritesReturnsNoRows(isEventNeeded: Bool) async throws {
        let metrics = TestMetrics()
        try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
            if !isEventNeeded { container.statementLog.stop() }
            func rows() -> [Double] {
                metrics.recorders.filter { $0.label == "db.client.response.returned_rows" }.flatMap(\.values)
            }
            try await container.perform { try Shop.fill($0) }
            let before = rows()
            try await container.perform { context in
                _ = try context.fetchRows(
                    sql: "CREATE TABLE own AS SELECT n::int8 FROM generate_series(1, 11) n")
                _ = try context.fetchRows(sql: "UPDATE own SET n = 0 WHERE n > 3")
                #expect(try context.fetchRows(Int.self, sql: "UPDATE own SET n = 1 RETURNING n").count == 11)
                #expect(try context.fetchRows(Int.self, sql: "SELECT n FROM own LIMIT 5").count == 5)
                let request = FetchRequest<ManagedObject>(entityName: "Employee")
                var count = 0
                try context.forEachBatch(of: request, size: 10) { count += $0.count }
                #expect(count == 2)
            }
            // The values are ordered by their recorders.
            var later = rows()
            for value in before { if let place = later.firstIndex(of: value) { later.remove(at: place) } }
            #expect(later.sorted() == [2, 5, 11])
            let own = metrics.timers(label: "db.client.operation.duration").filter {
                Self.label("db.operation.name", of: $0) == nil
            }
            #expect(own.count == 1 && (own.first?.values.count ?? 0) >= 4)
        }
    }

    @Test func savesOfOneAndOfSeveralObjectsAreNamedAlike() async throws {
        let metrics = TestMetrics()
        try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
            container.statementLog.stop()
            for count in [1, 2, 3] {
                try await container.perform { context in
                    for number in 1...count { context.insert("Employee")["name"] = "Ada \(number)" }
                    try context.save()
                }
            }
            #expect(Self.values(metrics, "INSERT", "employee").count == 1)
            #expect(Self.values(metrics, "BATCH INSERT", "employee").count == 2)
            let objects = metrics.recorders.filter { $0.label == "howdah.save.objects" }.flatMap(\.values)
            #expect(objects.sorted() == [1, 2, 3])
        }
    }

    @Test func twoContainersHaveInstrumentsByTheirDatabase() async throws {
        let metrics = TestMetrics()
        for _ in 0..<2 {
            try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
                container.statementLog.stop()
                try await container.perform { try Shop.fill($0) }
                await container.close()
                await #expect(throws: StoreError.self) {
                    try await container.perform { try Shop.fill($0) }
                }
            }
        }
        let saves = metrics.timers(label: "howdah.save.duration").flatMap(\.values)
        #expect(saves.count == 2)
        let insertions = metrics.timers(label: "db.client.operation.duration").filter {
            Self.label("db.operation.name", of: $0) == "BATCH INSERT"
        }
        #expect(Set(insertions.compactMap { Self.label("db.namespace", of: $0) }).count == 2)
        #expect(insertions.map(\.values.count) == [1, 1])
    }

    /// A function of the database can raise any SQLSTATE.
    @Test func thousandsOfErrorsMakeAFewLabels() async throws {
        let metrics = TestMetrics()
        let options = Self.options(metrics)
        try await withTemporaryDatabase(for: Shop.model(), options: options) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            _ = try connection.query(
                """
                CREATE FUNCTION fail(code text) RETURNS int8 LANGUAGE plpgsql
                AS $$ BEGIN RAISE EXCEPTION 'secret' USING ERRCODE = code; END $$
                """, cached: false)
            let container = try await PersistentContainer.open(
                database.url, model: Shop.model(), options: options)
            try await container.perform { context in
                for number in 1_000..<1_300 {
                    let code = "X\(number)"
                    #expect(throws: (any Error).self) {
                        try context.fetchRows(Int64.self, sql: "SELECT public.fail(\(code))")
                    }
                }
                // The library acts on this one, so it has a label of its own.
                #expect(throws: (any Error).self) {
                    try context.fetchRows(Int64.self, sql: "SELECT public.fail('23505')")
                }
            }
            await container.close()
        }
        let failed = metrics.timers(label: "db.client.operation.duration").filter {
            Self.label("error.type", of: $0) != nil
        }
        #expect(failed.count == 102)
        #expect(failed.flatMap(\.values).count == 301)
        #expect(failed.contains { Self.label("error.type", of: $0) == "23505" })
        let others = try #require(failed.first { Self.label("error.type", of: $0) == "_OTHER" })
        #expect(others.values.count == 200)
    }
}
