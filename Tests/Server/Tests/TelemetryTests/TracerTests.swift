import CoreMetrics
import Howdah
import HowdahTesting
import InMemoryTracing
import Instrumentation
import MetricsTestKit
import PQClient
import Testing
import Tracing

/// Several tracers, containers and roles.
@Suite struct TracerTests {
    /// Fetches the employees and their departments, with a retry.
    private static func work(_ container: PersistentContainer) async throws {
        try await container.perform { try Shop.fill($0) }
        try await container.perform { context in
            for employee in try context.fetch("Employee") {
                _ = (employee["department"] as? ManagedObject)?["name"]
            }
        }
    }

    private static func expectTree(_ tracer: RecordingTracer) {
        #expect(tracer.faults == [])
        let units = tracer.records("perform")
        #expect(units.count == 2)
        #expect(units.map(\.events) == [[], ["cohort step"]])
        #expect(units.allSatisfy { tracer.parent(of: $0) == nil })
        #expect(tracer.records("save").map { tracer.parent(of: $0) } == ["perform"])
        #expect(tracer.records("BATCH").map { tracer.parent(of: $0) } == ["save"])
        for name in ["SELECT employee", "SELECT department"] {
            #expect(tracer.records(name).map { tracer.parent(of: $0) } == ["perform"])
        }
    }

    /// Each tracer has the whole tree, and each span the events of its own.
    @Test func twoTracersOfOneContainerHaveTheSameTrees() async throws {
        let tracers = [RecordingTracer(), RecordingTracer()]
        var options = StoreOptions()
        options.observer = StoreObservers(tracers.map { StoreTelemetry(metrics: nil, tracer: $0) })
        try await withTemporaryStore(Shop.model(), options: options) { container in
            for tracer in tracers { tracer.clear() }
            try await Self.work(container)
        }
        for tracer in tracers { Self.expectTree(tracer) }
    }

    /// Tracers of one kind keep their spans under one key of the context.
    @Test func twoTracersOfOneKindHaveTreesOfTheirOwn() async throws {
        let ids = InMemoryTracer.IDGenerator.incrementing
        let tracers = [InMemoryTracer(idGenerator: ids), InMemoryTracer(idGenerator: ids)]
        var options = StoreOptions()
        options.observer = StoreObservers(tracers.map { StoreTelemetry(metrics: nil, tracer: $0) })
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await withTemporaryStore(Shop.model(), options: options) { second in
                for tracer in tracers { tracer.clearAll(includingActive: true) }
                try await tracers[0].withAnySpan("request") { _ in
                    try await Self.work(container)
                    try await container.perform { context in
                        // Units in that of another context, and of another container.
                        for inner in [container, second] {
                            try inner.newBackgroundContext().performAndWait { _ = try $0.fetch("Department") }
                        }
                        tracers[0].withAnySpan("own") { _ in }
                        _ = try context.fetch("Employee")
                    }
                }
            }
        }
        for (number, tracer) in tracers.enumerated() {
            let spans = tracer.finishedSpans
            #expect(tracer.activeSpans.isEmpty)
            let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.spanID, $0.operationName) })
            let tree = spans.map { span in
                let parent = span.parentSpanID.map { names[$0] ?? "another tracer's" } ?? "none"
                return "\(span.operationName) in \(parent)"
            }
            // The request is a span of the first tracer alone.
            let request = number == 0 ? "request" : "another tracer's"
            let expected: Set = [
                "perform in \(request)", "save in perform", "BATCH in save",
                "SELECT employee in perform",
                "SELECT department in perform", "perform in perform",
            ]
            #expect(expected.subtracting(tree) == [])
            let others = Set(tree).subtracting(expected).filter { !$0.hasSuffix(" in save") }
            #expect(others == (number == 0 ? ["request in none", "own in perform"] : []))
            #expect(tree.count { $0 == "perform in perform" } == 2)
        }
    }

    /// A unit in two nested ones of another tracer has neither of them as its parent.
    @Test func anotherTracersNestedUnitsAreNoParents() async throws {
        let ids = InMemoryTracer.IDGenerator.incrementing
        let tracers = [InMemoryTracer(idGenerator: ids), InMemoryTracer(idGenerator: ids)]
        let options = tracers.map { tracer in
            var options = StoreOptions()
            options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
            return options
        }
        try await withTemporaryStore(Shop.model(), options: options[0]) { first in
            try await withTemporaryStore(Shop.model(), options: options[1]) { second in
                for tracer in tracers { tracer.clearAll(includingActive: true) }
                try await first.perform { _ in
                    try first.newBackgroundContext().performAndWait { _ in
                        try second.newBackgroundContext().performAndWait { _ = try $0.fetch("Department") }
                    }
                }
            }
        }
        let units = tracers.map { $0.finishedSpans.filter { $0.operationName == "perform" } }
        #expect(units.map(\.count) == [2, 1])
        #expect(units[1].map(\.parentSpanID) == [nil])
    }

    @Test func twoContainersOfOneTracerHaveTreesOfTheirOwn() async throws {
        let tracer = RecordingTracer()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        try await withTemporaryStore(Shop.model(), options: options) { first in
            try await withTemporaryStore(Shop.model(), options: options) { second in
                try await first.perform { try Shop.fill($0) }
                tracer.clear()
                // A unit of one container in that of another.
                let context = second.newBackgroundContext()
                try await first.perform { outer in
                    try context.performAndWait { try Shop.fill($0) }
                    for employee in try outer.fetch("Employee") {
                        _ = (employee["department"] as? ManagedObject)?["name"]
                    }
                }
            }
        }
        #expect(tracer.faults == [])
        let units = tracer.records("perform")
        #expect(units.map { tracer.parent(of: $0) } == [nil, "perform"])
        #expect(units.map(\.events) == [["cohort step"], []])
        #expect(tracer.records("save").map(\.parent) == [1])
    }

    /// In a process of its own, because a back end is bootstrapped once.
    @Test func multiplexedBackEndsAreFound() async {
        await #expect(processExitsWith: .success) {
            let (tracer, metrics) = (RecordingTracer(), [TestMetrics(), TestMetrics()])
            InstrumentationSystem.bootstrap(MultiplexInstrument([tracer]))
            MetricsSystem.bootstrap(MultiplexMetricsHandler(factories: metrics))
            var options = StoreOptions()
            options.observer = StoreTelemetry()
            try await withTemporaryStore(Shop.model(), options: options) { container in
                tracer.clear()
                try await TracerTests.work(container)
            }
            TracerTests.expectTree(tracer)
            for factory in metrics {
                #expect(factory.timers(label: "howdah.perform.duration").flatMap(\.values).count == 2)
            }
        }
    }

    /// A role with the rights to change objects has the spans and metrics of the owner.
    @Test func anotherRoleIsObservedAsTheOwnerIs() async throws {
        func observed(_ url: String) async throws -> (spans: [String], metrics: [String: Int]) {
            let (tracer, metrics) = (RecordingTracer(), TestMetrics())
            var options = StoreOptions()
            options.observer = StoreTelemetry(metrics: metrics, tracer: tracer)
            let container = try await PersistentContainer.open(url, model: Shop.model(), options: options)
            tracer.clear()
            try await Self.work(container)
            try await container.perform { context in
                for entity in ["Employee", "Department"] {
                    for object in try context.fetch(entity) { context.delete(object) }
                }
                try context.save()
            }
            await container.close(drainingFor: .seconds(5))
            #expect(tracer.faults == [])
            let values = metrics.timers.filter { $0.label != "db.client.connection.create_time" }.map {
                timer in
                let labels = timer.dimensions.map { "\($0.0)=\($0.1)" }.filter { !$0.contains("pool.name") }
                // Statements of opening are the container's, and differ from one to the next.
                return (([timer.label] + labels).joined(separator: " "), timer.values.count)
            }.filter { !$0.0.contains("=OPEN") }
            return (tracer.records.map(\.name), Dictionary(values, uniquingKeysWith: +))
        }
        try await withTemporaryDatabase(for: Shop.model()) { database in
            let session = try Connection(ConnectionConfiguration(database.url))
            defer { session.close() }
            let role = "writer_\(UInt32.random(in: 0 ... .max))"
            for statement in [
                "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA public TO \(role)",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
                "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)",
            ] {
                _ = try session.query(statement, cached: false)
            }
            let owner = try await observed(database.url)
            let url = database.url.replacing(/user=[^&\s]*/, with: "user=\(role)")
            try #require(url != database.url)
            let other = try await observed(url)
            #expect(owner.spans == other.spans)
            #expect(owner.metrics == other.metrics)
            #expect(owner.metrics.count > 8)
            for statement in ["DROP OWNED BY \(role)", "DROP ROLE \(role)"] {
                _ = try session.query(statement, cached: false)
            }
        }
    }
}
