import Howdah
import HowdahTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import Testing
import Tracing

/// The traces to which logs and work of a container for several requests belong.
@Suite struct TraceTests {
    /// The metadata provider of a back end for traces is of this form.
    @Test func logsOfStatementsHaveTheTraceOfTheirRequest() async throws {
        let (tracer, handler) = (InMemoryTracer(), InMemoryLogHandler())
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        options.logger = Logger(label: "database") { _ in
            var handler = handler
            handler.logLevel = .debug
            handler.metadataProvider = Logger.MetadataProvider {
                let span = ServiceContext.current?.inMemorySpanContext
                return span.map { ["trace_id": "\($0.traceID)", "span_id": "\($0.spanID)"] } ?? [:]
            }
            return handler
        }
        try await withTemporaryStore(Shop.model(), options: options) { container in
            handler.clear()
            tracer.clearFinishedSpans()
            for number in 0..<2 {
                try await tracer.withSpan("request \(number)") { _ in
                    _ = try await container.perform {
                        try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                    }
                }
            }
        }
        let spans = tracer.finishedSpans.filter { $0.operationName == "SELECT employee" }
        let logged = handler.entries.filter { $0.metadata["db.query.summary"] == "SELECT employee" }
        #expect(spans.count == 2)
        #expect(logged.map { $0.metadata["trace_id"] } == spans.map { "\($0.traceID)" })
        // A statement is logged in the span of its unit of work.
        #expect(logged.map { $0.metadata["span_id"] } == spans.map { "\($0.parentSpanID ?? "none")" })
    }

    /// Equal requests share an evaluation, so it is not a part of the trace of the first one.
    @Test func evaluationsOfFollowedResultsHaveTracesOfTheirOwn() async throws {
        let tracer = InMemoryTracer()
        var options = StoreOptions()
        options.history = .enabled
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await container.perform { try Shop.fill($0) }
            tracer.clearFinishedSpans()
            try await tracer.withSpan("GET /employees") { _ in
                let request = FetchRequest<ManagedObject>(entityName: "Employee")
                var updates = container.fetchedResults(request).makeAsyncIterator()
                let first = try await updates.next()
                #expect(first != nil)
            }
            // It ends after it has woken its subscribers.
            for _ in 0..<600 where !tracer.finishedSpans.contains(where: { $0.operationName == "evaluate" }) {
                try await Task.sleep(for: .milliseconds(100))
            }
            let spans = tracer.finishedSpans
            let request = try #require(spans.first { $0.operationName == "GET /employees" })
            let evaluation = try #require(spans.first { $0.operationName == "evaluate" })
            #expect(evaluation.parentSpanID == nil)
            #expect(evaluation.traceID != request.traceID)
            #expect(evaluation.attributes.get("howdah.entity") == .string("Employee"))
            let reading = try #require(spans.first { $0.operationName == "SELECT employee" })
            #expect(reading.parentSpanID == evaluation.spanID)
        }
    }

    @Test func noTextsAreMadeForSpansThatAreNotSampled() async throws {
        let tracer = UnsampledTracer()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: nil, tracer: tracer)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            try await container.perform { try Shop.fill($0) }
        }
        #expect(tracer.spans.load(ordering: .relaxed) > 3)
        #expect(tracer.texts.load(ordering: .relaxed) == 0)
    }
}
