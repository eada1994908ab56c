import CoreMetrics
import Howdah
import HowdahTesting
import InMemoryTracing
import MetricsTestKit
import Testing

/// Metrics of work that a container does for itself, and of several containers.
@Suite struct UpkeepTests {
    private static func labels(_ dimensions: [(String, String)]) -> [String: String] {
        Dictionary(dimensions, uniquingKeysWith: { first, _ in first })
    }

    private static func meters(_ metrics: TestMetrics, _ name: String) -> [TestMeter] {
        metrics.meters.filter { $0.label == name && !$0.values.isEmpty }
    }

    private static func until(_ condition: () -> Bool) async throws {
        for _ in 0..<600 where !condition() { try await Task.sleep(for: .milliseconds(100)) }
    }

    /// A container reads the state of the history some seconds after it opened.
    @Test func consumersOfTheHistoryHaveTheirLag() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.history = .enabled
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            _ = try await container.historyConsumer("search")
            try await container.perform { try Shop.fill($0) }
            try await Self.until { !Self.meters(metrics, "howdah.history.lag").isEmpty }
            let lag = try #require(Self.meters(metrics, "howdah.history.lag").first)
            let labels = Self.labels(lag.dimensions)
            #expect(Set(labels.keys) == ["db.namespace", "howdah.consumer"])
            #expect(labels["howdah.consumer"] == "search")
            #expect((lag.values.last ?? 0) >= 0)
            for name in ["size", "heartbeat_age", "oldest_consumer_age"] {
                let meter = try #require(Self.meters(metrics, "howdah.history.\(name)").first)
                #expect(Set(Self.labels(meter.dimensions).keys) == ["db.namespace"])
            }
            #expect((Self.meters(metrics, "howdah.history.size").first?.values.last ?? 0) > 0)
        }
    }

    @Test func migrationsAreMeasuredAndHaveSpans() async throws {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        let new = try ManagedObjectModel(
            entities: Shop.model().entities + [
                EntityDescription("Office", properties: [.attribute("city", .string)])
            ])
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: tracer)
        options.shouldMigrateStoreAutomatically = true
        try await withTemporaryDatabase(for: Shop.model()) { database in
            for _ in 0..<2 {
                try await PersistentContainer.open(database.url, model: new, options: options).close()
            }
        }
        let timers = metrics.timers(label: "howdah.migration.duration")
        #expect(
            timers.map { Self.labels($0.dimensions) } == [
                ["howdah.migration.work": "stages", "howdah.outcome": "ok"]
            ])
        #expect(timers.flatMap(\.values).count == 1)
        let spans = tracer.finishedSpans
        let migration = try #require(spans.first { $0.operationName == "migrate" })
        #expect(spans.contains { $0.parentSpanID == migration.spanID && $0.kind == .client })
    }

    /// Two pools of one database have two names, which do not grow with the number of containers that were opened.
    @Test func eachPoolHasItsMeters() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        try await withTemporaryDatabase(for: Shop.model()) { database in
            for _ in 0..<5 {
                let containers = [
                    try await PersistentContainer.open(database.url, model: Shop.model(), options: options),
                    try await PersistentContainer.open(database.url, model: Shop.model(), options: options),
                ]
                for container in containers {
                    _ = try await container.perform {
                        try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                    }
                    await container.close()
                }
            }
        }
        let used = metrics.timers(label: "db.client.connection.use_time").filter { !$0.values.isEmpty }
        let names = Set(used.compactMap { Self.labels($0.dimensions)["db.client.connection.pool.name"] })
        #expect(names.count >= 2)
        // Containers that end at their own time may overlap, but ten of them do not have ten names.
        #expect(names.count < 8, "\(names)")
    }

    /// After a container ended, its meters do not show connections for ever.
    @Test func aContainerThatEndedHasNoConnections() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await container.perform { try Shop.fill($0) }
            try await Self.until { !Self.meters(metrics, "db.client.connection.count").isEmpty }
        }
        try await Self.until {
            Self.meters(metrics, "db.client.connection.count").allSatisfy { $0.values.last == 0 }
        }
        #expect(Self.meters(metrics, "db.client.connection.count").allSatisfy { $0.values.last == 0 })
    }
}
