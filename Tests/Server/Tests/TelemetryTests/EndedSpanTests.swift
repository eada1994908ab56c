import CoreMetrics
import Howdah
import HowdahTesting
import MetricsTestKit
import PQClient
import Synchronization
import Testing
import Tracing

/// Each span is ended once, however its work ends.
@Suite struct EndedSpanTests {
    private struct Refusal: Error {}

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }

    private static func options(_ tracer: RecordingTracer) -> StoreOptions {
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        return options
    }

    private static func until(_ condition: () throws -> Bool) async throws {
        for _ in 0..<6_000 where try !condition() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try condition())
    }

    private static func session(_ database: TemporaryDatabase) throws -> Connection {
        try Connection(ConnectionConfiguration(database.url))
    }

    /// Runs a statement in a session of another program.
    private static func execute(_ sql: String, at url: String) throws {
        let session = try Connection(ConnectionConfiguration(url))
        defer { session.close() }
        _ = try session.query(sql, cached: false)
    }

    /// The sessions of the database that wait for a lock.
    private static let waits = "datname = current_database() AND wait_event_type = 'Lock'"

    private static func blocked(_ session: Connection) throws -> Bool {
        try session.query(
            "SELECT pg_catalog.count(*) FROM pg_stat_activity WHERE \(waits)", cached: false
        ).first { $0[0].int64 > 0 } ?? false
    }

    /// Runs `body` with an open store and its database, and expects that no span is open afterwards.
    private static func with(
        _ tracer: RecordingTracer, _ body: (PersistentContainer, TemporaryDatabase) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(for: Shop.model()) { database in
            var options = options(tracer)
            options.maximumConnections = 2
            // A busy machine may take longer than the default until a test goes on.
            options.connectionWait = .seconds(300)
            let container = try await PersistentContainer.open(
                database.url, model: Shop.model(), options: options)
            tracer.clear()
            try await body(container, database)
            await container.close(drainingFor: .seconds(5))
        }
        #expect(tracer.faults == [])
        #expect(!tracer.records.isEmpty)
    }

    @Test func successesAndErrors() async throws {
        let tracer = RecordingTracer()
        try await Self.with(tracer) { container, _ in
            try await container.perform { try Shop.fill($0) }
            await #expect(throws: SaveError.self) { try await container.perform { try Shop.fill($0) } }
            await #expect(throws: Refusal.self) {
                try await container.perform(isolation: .serializable) { context in
                    _ = try context.fetch("Employee")
                    throw Refusal()
                }
            }
            let context = container.newBackgroundContext()
            await #expect(throws: Refusal.self) { try await context.perform { _ in throw Refusal() } }
            #expect(throws: Refusal.self) { try context.performAndWait { _ in throw Refusal() } }
        }
        #expect(
            tracer.records("perform").map(\.error) == [nil, "uniqueness"]
                + Array(repeating: "Refusal", count: 3))
        #expect(tracer.records("save").map(\.error) == [nil, "uniqueness"])
    }

    @Test func retries() async throws {
        let tracer = RecordingTracer()
        try await Self.with(tracer) { container, database in
            try await container.perform { try Shop.fill($0) }
            let (url, runs) = (database.url, Counter())
            try await container.perform(retrying: .conflicts(upTo: 3)) { context in
                let employee = try context.fetch("Employee")[0]
                if runs.next() == 1 {
                    try Self.execute("UPDATE employee SET _version = _version + 1", at: url)
                }
                employee["name"] = "Grace"
                try context.save()
            }
        }
        let units = tracer.records("perform")
        #expect(units.map(\.events) == [[], ["retry"]])
        #expect(tracer.records("save").map(\.error) == [nil, "conflict", nil])
    }

    @Test func cancellationsAndDeadlines() async throws {
        let tracer = RecordingTracer()
        try await Self.with(tracer) { container, database in
            try await container.perform { try Shop.fill($0) }
            let session = try Self.session(database)
            defer { session.close() }
            let watcher = try Self.session(database)
            defer { watcher.close() }
            try session.begin()
            _ = try session.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE", cached: false)
            // In a statement, and in the line for a connection.
            let tasks = (0..<4).map { _ in
                Task { try await container.perform { try $0.fetch("Employee").count } }
            }
            try await Self.until { try Self.blocked(watcher) }
            await #expect(throws: (any Error).self) {
                try await container.perform(timeout: .milliseconds(50)) { try $0.fetch("Employee").count }
            }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            await #expect(throws: (any Error).self) {
                try await container.perform(timeout: .milliseconds(200)) { try $0.fetch("Employee").count }
            }
            try session.rollback()
            _ = try await container.perform { try $0.fetch("Employee").count }
        }
        #expect(tracer.records("perform").count == 8)
    }

    @Test func closedConnectionsAndContainers() async throws {
        let tracer = RecordingTracer()
        try await Self.with(tracer) { container, database in
            let url = database.url
            await #expect(throws: (any Error).self) {
                try await container.perform(isolation: .serializable) { context in
                    _ = try context.fetch("Employee")
                    try Self.execute(
                        """
                        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                        """, at: url)
                    try Shop.fill(context)
                }
            }
            try await container.perform { try Shop.fill($0) }
            await container.close()
            await #expect(throws: StoreError.self) { try await container.perform { _ in } }
        }
        #expect(tracer.records("perform").map { $0.error == nil } == [false, true, false])
    }

    /// A backend that ends in the middle of a save of many rows is counted, and nothing stays open.
    @Test func aBackendThatEndsDuringABatch() async throws {
        let (tracer, metrics) = (RecordingTracer(), TestMetrics())
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: tracer)
        options.maximumConnections = 2
        func used() -> [Double] {
            metrics.meters.filter {
                $0.label == "db.client.connection.count"
                    && $0.dimensions.contains { $0 == ("db.client.connection.state", "used") }
            }.flatMap { $0.values.suffix(1) }
        }
        func outcomes(_ name: String, _ label: String) -> [String] {
            metrics.timers(label: name).flatMap { timer in
                timer.dimensions.filter { $0.0 == label }.flatMap { label in
                    timer.values.map { _ in label.1 }
                }
            }.filter { $0 != "ok" }
        }
        try await withTemporaryDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(
                database.url, model: Shop.model(), options: options)
            container.statementLog.stop()
            try await container.perform { try Shop.fill($0) }
            let session = try Self.session(database)
            defer { session.close() }
            // The pipelined updates of several thousand rows stop at this one.
            try await container.perform { context in
                for number in 0..<3_000 { context.insert("Employee")["name"] = "E\(number)" }
                try context.save()
            }
            try session.begin()
            _ = try session.query("SELECT 1 FROM employee WHERE name = 'E2900' FOR UPDATE", cached: false)
            tracer.clear()
            let saving = Task {
                try await container.perform { context in
                    for (number, employee) in try context.fetch("Employee").enumerated() {
                        employee["name"] = "F\(number)"
                        if number % 3 == 0 { employee["department"] = nil }
                    }
                    for number in 0..<500 { context.insert("Department")["name"] = "D\(number)" }
                    try context.save()
                }
            }
            let watcher = try Self.session(database)
            defer { watcher.close() }
            try await Self.until { try Self.blocked(watcher) }
            _ = try watcher.query(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE \(Self.waits)
                """, cached: false)
            await #expect(throws: (any Error).self) { try await saving.value }
            try session.rollback()
            #expect(tracer.faults == [])
            #expect(tracer.records("save").compactMap(\.error).count == 1)
            #expect(tracer.records("perform").compactMap(\.error).count == 1)
            let failed = tracer.records.filter {
                $0.error != nil && !["save", "perform"].contains($0.name)
            }
            #expect(failed.map(\.error) == ["57P01"], "\(failed)")
            #expect(outcomes("db.client.operation.duration", "error.type") == ["57P01"])
            #expect(outcomes("howdah.save.duration", "howdah.outcome").count == 1)
            #expect(outcomes("howdah.perform.duration", "howdah.outcome").count == 1)
            // The pool goes on with another connection, and its meters with it.
            let count = try await container.perform { try $0.fetch("Employee").count }
            #expect(count == 3_002)
            try await Self.until { !used().isEmpty && used().allSatisfy { $0 == 0 } }
            await container.close(drainingFor: .seconds(5))
        }
        #expect(tracer.faults == [])
    }

    @Test func evaluationsOfFollowedResults() async throws {
        let tracer = RecordingTracer()
        var options = Self.options(tracer)
        options.history = .enabled
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await container.perform { try Shop.fill($0) }
            let request = FetchRequest<ManagedObject>(entityName: "Employee")
            var updates = container.fetchedResults(request).makeAsyncIterator()
            #expect(try await updates.next() != nil)
            let following = Task { for try await _ in container.fetchedResults(request) {} }
            following.cancel()
            _ = try? await following.value
        }
        try await Self.until { tracer.faults.isEmpty }
        #expect(!tracer.records("evaluate").isEmpty)
    }
}
