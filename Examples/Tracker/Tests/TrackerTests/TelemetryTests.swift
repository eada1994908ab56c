import Howdah
import HowdahTesting
import InMemoryTracing
import Metrics
import MetricsTestKit
import Testing
import Tracing

@testable import Tracker

extension TrackerTests {
    @Suite struct TelemetryTests {
        /// Back ends can be bootstrapped once in a process.
        private static let backEnds: (tracer: InMemoryTracer, metrics: TestMetrics) = {
            let (tracer, metrics) = (InMemoryTracer(), TestMetrics())
            InstrumentationSystem.bootstrap(tracer)
            MetricsSystem.bootstrap(metrics)
            return (tracer, metrics)
        }()

        @Test("The span of a request has units of work, and they have statements")
        func spans() async throws {
            let (tracer, metrics) = Self.backEnds
            try await withRouter { send, _ in
                // The first request of a user looks for the user.
                #expect(try await send(.get, "/projects", nil) == 200)
                tracer.clearFinishedSpans()
                let path = "/projects/CORE/issues?where=title%20%3D%3D%20%27secret%27"
                #expect(try await send(.get, path, nil) == 200)
                #expect(try await send(.post, "/projects/CORE/issues", #"{"title":"One more"}"#) == 201)

                let spans = tracer.finishedSpans
                let requests = spans.filter { $0.kind == .server }
                #expect(
                    requests.map(\.operationName) == ["/projects/{key}/issues", "/projects/{key}/issues"])
                let units = spans.filter { $0.operationName == "perform" }
                #expect(units.map(\.parentSpanID) == requests.map(\.spanID))
                let reads = spans.filter { $0.operationName == "SELECT issue" }
                #expect(reads.first?.parentSpanID == units.first?.spanID)
                let save = try #require(spans.first { $0.operationName == "save" })
                #expect(save.parentSpanID == units.last?.spanID)
                #expect(spans.contains { $0.kind == .client && $0.parentSpanID == save.spanID })
                #expect(Set(spans.map(\.traceID)).count == 2)
                // Conditions are texts of users.
                #expect(!spans.contains { "\($0.attributes)".contains("secret") })
            }
            let timers = Set(metrics.timers.map(\.label))
            #expect(timers.isSuperset(of: ["http.server.request.duration", "db.client.operation.duration"]))
        }
    }
}
