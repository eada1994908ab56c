import CoreMetrics
import Howdah
import HowdahTesting
import MetricsTestKit
import Synchronization
import Testing

/// Instruments by OpenTelemetry's conventions, with a bounded number of labels.
@Suite struct MetricTests {
    private static let allowed: Set<String> = [
        "db.system.name", "db.namespace", "db.operation.name", "db.collection.name", "error.type",
        "db.response.status_code", "db.query.summary",
        "server.address", "server.port", "db.client.connection.pool.name", "db.client.connection.state",
        "howdah.entity", "howdah.relationship", "howdah.isolation", "howdah.outcome",
    ]

    private static func options(_ metrics: TestMetrics) -> StoreOptions {
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        return options
    }

    private static func labels(_ dimensions: [(String, String)]) -> [String: String] {
        Dictionary(dimensions, uniquingKeysWith: { first, _ in first })
    }

    /// Also if something else needs the statements as events, as a log that records does.
    @Test(arguments: [true, false]) func instrumentsHaveTheConventionsNames(areEventsNeeded: Bool)
        async throws
    {
        let metrics = TestMetrics()
        try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
            if !areEventsNeeded { container.statementLog.stop() }
            for _ in 0..<5 {
                try await container.perform { context in
                    for object in try context.fetch("Employee") { context.delete(object) }
                    for object in try context.fetch("Department") { context.delete(object) }
                    try context.save()
                    try Shop.fill(context)
                }
            }
            try await container.perform { context in
                for employee in try context.fetch("Employee") {
                    _ = (employee["department"] as? ManagedObject)?["name"]
                }
            }
            await #expect(throws: SaveError.self) {
                try await container.perform { try Shop.fill($0) }
            }
        }
        #expect(
            Set(metrics.timers.map(\.label)) == [
                "db.client.operation.duration", "db.client.connection.wait_time",
                "db.client.connection.use_time", "howdah.perform.duration", "howdah.perform.queue_time",
                "howdah.save.duration", "db.client.connection.create_time",
            ])
        #expect(
            Set(metrics.recorders.map(\.label)) == [
                "db.client.response.returned_rows", "howdah.save.objects",
            ]
        )
        #expect(
            Set(metrics.meters.map(\.label)) == [
                "db.client.connection.count", "db.client.connection.max",
                "db.client.connection.idle.max", "db.client.connection.idle.min",
                "db.client.connection.pending_requests",
            ])
        #expect(metrics.counterTotal(label: "howdah.fetch.cohort_steps") >= 1)
        #expect(metrics.counterTotal(label: "howdah.save.conflicts") >= 1)
        let all =
            metrics.timers.map(\.dimensions) + metrics.recorders.map(\.dimensions)
            + metrics.meters.map(\.dimensions) + metrics.counters.map(\.dimensions)
        #expect(Set(all.flatMap { $0.map(\.0) }).isSubset(of: Self.allowed))
        // Six rounds of the same work make no more instruments than one.
        #expect(metrics.timers.count < 30)

        let selections = metrics.timers(label: "db.client.operation.duration").filter {
            let labels = Self.labels($0.dimensions)
            return labels["db.operation.name"] == "SELECT" && labels["db.collection.name"] == "employee"
                && labels["error.type"] == nil
        }
        #expect(selections.count == 1)
        #expect(selections.first.map { Self.labels($0.dimensions)["db.query.summary"] } == "SELECT employee")
        let durations = try #require(selections.first).values
        #expect(durations.count >= 6)
        #expect(durations.allSatisfy { $0 > 0 })
        let failed = metrics.timers(label: "db.client.operation.duration").compactMap {
            Self.labels($0.dimensions)["error.type"]
        }
        #expect(Set(failed) == ["23505"])
        let states = metrics.timers(label: "db.client.operation.duration").compactMap {
            Self.labels($0.dimensions)["db.response.status_code"]
        }
        #expect(Set(states) == ["23505"])
        // Statements that only write return no rows.
        let rows = metrics.recorders.filter { $0.label == "db.client.response.returned_rows" }
        #expect(
            Set(rows.compactMap { Self.labels($0.dimensions)["db.operation.name"] }) == [
                "SELECT", "BATCH SELECT",
            ])
        let outcomes = metrics.timers(label: "howdah.save.duration").compactMap {
            Self.labels($0.dimensions)["howdah.outcome"]
        }
        #expect(Set(outcomes) == ["ok", "uniqueness"])
    }

    /// Tags, texts and values are in no label, whatever a program sends.
    @Test func thousandsOfTagsAndHostileNamesMakeNoInstruments() async throws {
        let metrics = TestMetrics()
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Straße", properties: [.attribute("größe", .string)])
        ])
        try await withTemporaryStore(model, options: Self.options(metrics)) { container in
            func run(_ numbers: ClosedRange<Int>) async throws {
                try await container.perform { context in
                    for number in numbers {
                        var request = FetchRequest<ManagedObject>(entityName: "Straße")
                        request.predicate = .format("größe == %@", "secret \(number)")
                        _ = try context.fetch(request.tagged("tag \(number)"))
                        let name = "secret_\(number)"
                        let rows = try context.fetchRows(
                            Int64.self, sql: "SELECT \(Int64(number)) AS \(name: name)")
                        #expect(rows == [Int64(number)])
                    }
                }
            }
            func instruments() -> Int {
                metrics.timers.count + metrics.recorders.count + metrics.counters.count
            }
            try await run(0...0)
            let known = instruments()
            try await run(1...2_000)
            #expect(instruments() == known)
        }
        let labels = Set(
            (metrics.timers.map(\.dimensions) + metrics.recorders.map(\.dimensions)).flatMap {
                $0.map { "\($0.0)=\($0.1)" }
            })
        #expect(!labels.contains { $0.contains("secret") || $0.contains("tag ") })
        #expect(labels.contains { $0.hasPrefix("db.collection.name=") })
    }

    /// The numbers of connections are right after the work, too, not only during it.
    @Test func metersShowThatNoConnectionIsUsedAfterTheWork() async throws {
        let metrics = TestMetrics()
        try await withTemporaryStore(Shop.model(), options: Self.options(metrics)) { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        _ = try await container.perform {
                            try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            // A store that was the template of this one has its own pool.
            func present() -> [TestMeter] {
                metrics.meters.filter {
                    $0.label == "db.client.connection.count" && !$0.values.isEmpty
                }
            }
            for _ in 0..<600 where present().count < 2 { try await Task.sleep(for: .milliseconds(100)) }
            let meters = present()
            let used = try #require(meters.first { $0.dimensions.contains { $0.1 == "used" } })
            let idle = try #require(meters.first { $0.dimensions.contains { $0.1 == "idle" } })
            // The last numbers follow the work by a second.
            for _ in 0..<600 where used.values.last != 0 || (idle.values.last ?? 0) < 1 {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(used.values.last == 0)
            #expect((idle.values.last ?? 0) >= 1)
        }
    }

    @Test func metricsAndOtherObserversShareAContainer() async throws {
        final class SaveCounter: StoreObserver {
            let saves = Atomic<Int>(0)

            func observe(_ event: StoreEvent) {
                if case .save = event { saves.add(1, ordering: .relaxed) }
            }
        }
        let (metrics, counter) = (TestMetrics(), SaveCounter())
        var options = StoreOptions()
        options.observer = StoreObservers([StoreTelemetry(metrics: metrics, tracer: nil), counter])
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await container.perform { try Shop.fill($0) }
        }
        #expect(counter.saves.load(ordering: .relaxed) == 1)
        #expect(metrics.timers.contains { $0.label == "howdah.save.duration" && $0.values.count == 1 })
        #expect(metrics.timers.contains { $0.label == "db.client.operation.duration" })
    }

    @Test func withoutABackEndThereIsNoObserver() {
        #expect(StoreTelemetry() == nil)
    }

    /// In a process of its own, because a back end is bootstrapped once.
    @Test func withABackEndThereIsOne() async {
        await #expect(processExitsWith: .success) {
            MetricsSystem.bootstrap(TestMetrics())
            #expect(StoreTelemetry() != nil)
        }
    }
}
