import CoreMetrics
import Howdah
import HowdahTesting
import MetricsTestKit
import Testing

/// The labels of each metric: back ends for Prometheus want the same names, in the same order, for all of its values.
@Suite struct LabelTests {
    private struct Refusal: Error {}

    /// Work that succeeds and fails in several ways, with tables and without.
    private static func work(_ container: PersistentContainer) async throws {
        try await container.perform { try Shop.fill($0) }
        await #expect(throws: SaveError.self) { try await container.perform { try Shop.fill($0) } }
        for isolation in [nil, Isolation.serializable] {
            await #expect(throws: Refusal.self) {
                try await container.perform(isolation: isolation) { context in
                    for employee in try context.fetch("Employee") {
                        _ = (employee["department"] as? ManagedObject)?["name"]
                    }
                    throw Refusal()
                }
            }
            _ = try await container.perform(isolation: isolation) {
                try $0.fetchRows(Int64.self, sql: "SELECT 1::pg_catalog.int8")
            }
        }
        await #expect(throws: (any Error).self) {
            try await container.perform {
                try $0.fetchRows(Int64.self, sql: "SELECT 1::pg_catalog.int8 / 0")
            }
        }
    }

    /// The names of the labels of each metric.
    private static func names(_ metrics: TestMetrics) -> [String: Set<[String]>] {
        let all =
            metrics.timers.map { ($0.label, $0.dimensions) }
            + metrics.recorders.map { ($0.label, $0.dimensions) }
            + metrics.meters.map { ($0.label, $0.dimensions) }
            + metrics.counters.map { ($0.label, $0.dimensions) }
        return all.reduce(into: [:]) { names, metric in
            names[metric.0, default: []].insert(metric.1.map(\.0))
        }
    }

    @Test(arguments: [true, false]) func valuesOfAMetricHaveTheSameLabels(areConstant: Bool) async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil, hasConstantLabels: areConstant)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            container.statementLog.stop()
            try await Self.work(container)
        }
        let names = Self.names(metrics)
        #expect(names.count > 12)
        let varying = Set(names.filter { $0.value.count > 1 }.keys)
        // The conventions omit the table and the error where there are none.
        let optional: Set = ["db.client.operation.duration", "db.client.response.returned_rows"]
        #expect(varying == (areConstant ? [] : optional))
        let outcomes = metrics.timers(label: "howdah.perform.duration").compactMap { timer in
            timer.dimensions.first { $0.0 == "howdah.outcome" }?.1
        }
        #expect(Set(outcomes) == ["ok", "uniqueness", "Refusal", "database"])
        let empty = metrics.timers.filter { $0.dimensions.contains { $0.1.isEmpty } }
        #expect(empty.isEmpty != areConstant)
    }
}
