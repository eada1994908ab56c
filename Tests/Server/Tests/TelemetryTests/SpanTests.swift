import Howdah
import HowdahTesting
import InMemoryTracing
import Testing
import Tracing

/// Spans by OpenTelemetry's conventions: names, attributes, and each in the span of the work that made it.
@Suite struct SpanTests {
    private static func options(_ tracer: InMemoryTracer) -> StoreOptions {
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        return options
    }

    private static func text(_ span: FinishedInMemorySpan, _ name: String) -> String? {
        switch span.attributes.get(name) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        default: nil
        }
    }

    @Test func aRequestHasUnitsOfWorkWithSavesWithStatements() async throws {
        let tracer = InMemoryTracer()
        try await withTemporaryStore(Shop.model(), options: Self.options(tracer)) { container in
            tracer.clearFinishedSpans()
            try await tracer.withSpan("POST /employees", ofKind: .server) { _ in
                try await container.perform(isolation: .serializable) { context in
                    try Shop.fill(context)
                    tracer.withSpan("inside", ofKind: .internal) { _ in }
                }
            }
            let spans = tracer.finishedSpans
            let request = try #require(spans.first { $0.operationName == "POST /employees" })
            let unit = try #require(spans.first { $0.operationName == "perform" })
            let save = try #require(spans.first { $0.operationName == "save" })
            let insertion = try #require(spans.first { $0.operationName == "BATCH" })
            let commit = try #require(spans.first { $0.operationName == "COMMIT" })
            let own = try #require(spans.first { $0.operationName == "inside" })
            #expect(unit.parentSpanID == request.spanID)
            #expect(save.parentSpanID == unit.spanID)
            #expect(insertion.parentSpanID == save.spanID)
            #expect(commit.parentSpanID == unit.spanID)
            #expect(own.parentSpanID == unit.spanID)
            #expect(Set(spans.map(\.traceID)).count == 1)
            #expect(Self.text(unit, "howdah.isolation") == "SERIALIZABLE")

            #expect(unit.kind == .internal)
            #expect(save.kind == .internal)
            #expect(insertion.kind == .client)
            #expect(Self.text(insertion, "db.system.name") == "postgresql")
            #expect(Self.text(insertion, "db.operation.name") == "BATCH INSERT")
            #expect(Self.text(insertion, "db.query.summary") == "BATCH")
            #expect(Self.text(insertion, "db.operation.batch.size") == "4")
            #expect(Self.text(insertion, "db.namespace")?.hasSuffix("|public") == true)
            #expect(Self.text(insertion, "db.collection.name") == nil)
            #expect(Self.text(insertion, "db.query.text")?.contains("VALUES ($1") == true)
            #expect(Self.text(insertion, "db.query.text")?.contains("Research") == false)
            for span in spans where span.kind == .client {
                let (start, end) = (span.startInstant, span.endInstant)
                #expect(start.nanosecondsSinceEpoch <= end.nanosecondsSinceEpoch)
                #expect(start.nanosecondsSinceEpoch >= request.startInstant.nanosecondsSinceEpoch)
            }
        }
    }

    @Test func fetchesHaveTheirTableAndTheirCallSite() async throws {
        let tracer = InMemoryTracer()
        try await withTemporaryStore(Shop.model(), options: Self.options(tracer)) { container in
            try await container.perform { try Shop.fill($0) }
            tracer.clearFinishedSpans()
            try await container.perform { context in
                let request = FetchRequest<ManagedObject>(entityName: "Employee").tagged("payroll")
                for employee in try context.fetch(request) {
                    #expect((employee["department"] as? ManagedObject)?["name"] != nil)
                }
            }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["SELECT employee", "SELECT department", "perform"])
            for span in spans.prefix(2) {
                #expect(Self.text(span, "db.operation.name") == "SELECT")
                #expect(Self.text(span, "db.response.returned_rows") == "2")
                #expect(Self.text(span, "code.file.path") == "TelemetryTests/SpanTests.swift")
                #expect(Self.text(span, "howdah.tag") == "payroll")
            }
            #expect(
                spans.prefix(2).map { Self.text($0, "db.collection.name") } == ["employee", "department"])
            let events = try #require(spans.last).events
            #expect(events.map(\.name) == ["cohort step"])
            #expect(events[0].attributes.get("howdah.relationship") == .string("department"))
        }
    }

    @Test func ownSQLIsNamedByTheNamespace() async throws {
        let tracer = InMemoryTracer()
        try await withTemporaryStore(Shop.model(), options: Self.options(tracer)) { container in
            tracer.clearFinishedSpans()
            let database = try await container.perform { context in
                try context.fetchRows(String.self, sql: "SELECT current_database()::text")
            }
            let span = try #require(tracer.finishedSpans.first { $0.kind == .client })
            #expect(span.operationName == database[0] + "|public")
            #expect(Self.text(span, "db.namespace") == span.operationName)
            #expect(Self.text(span, "db.query.summary") == nil)
        }
    }

    @Test func errorsAreCodesWithoutValues() async throws {
        let tracer = InMemoryTracer()
        try await withTemporaryStore(Shop.model(), options: Self.options(tracer)) { container in
            try await container.perform { try Shop.fill($0) }
            tracer.clearFinishedSpans()
            await #expect(throws: SaveError.self) {
                try await container.perform { try Shop.fill($0) }
            }
            let spans = tracer.finishedSpans
            let failed = try #require(spans.first { $0.kind == .client && $0.status?.code == .error })
            #expect(Self.text(failed, "db.response.status_code") == "23505")
            #expect(Self.text(failed, "error.type") == "23505")
            for name in ["save", "perform"] {
                let span = try #require(spans.first { $0.operationName == name })
                #expect(span.status?.code == .error)
                #expect(Self.text(span, "error.type") == "uniqueness")
                #expect(span.errors.isEmpty)
            }
            for span in spans {
                span.attributes.forEach { _, value in #expect(!"\(value)".contains("Research")) }
            }
        }
    }

    /// Statements of concurrent requests are each in their own trace.
    @Test func concurrentRequestsHaveTracesOfTheirOwn() async throws {
        let tracer = InMemoryTracer()
        try await withTemporaryStore(Shop.model(), options: Self.options(tracer)) { container in
            tracer.clearFinishedSpans()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await tracer.withSpan("request \(number)") { _ in
                            _ = try await container.perform { context in
                                try context.count(
                                    for: FetchRequest<ManagedObject>(
                                        entityName: number % 2 == 0 ? "Employee" : "Department"))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let traces = Dictionary(grouping: tracer.finishedSpans, by: \.traceID)
            #expect(traces.count == 8)
            for spans in traces.values {
                let name = try #require(spans.first { $0.operationName.hasPrefix("request") }).operationName
                let isEven = (Int(name.suffix(1)) ?? 0) % 2 == 0
                #expect(
                    spans.map(\.operationName)
                        == [isEven ? "SELECT employee" : "SELECT department", "perform", name])
            }
        }
    }
}
