#if Server || All || Telemetry
import CoreMetrics
import HowdahRuntime
import PQClient
import Synchronization

/// The numbers of a store's history and its consumers.
final class HistoryMeters: Sendable {
    /// The number of consumers that have meters; those that lag most, of more.
    private static let limit = 100

    private let factory: any MetricsFactory
    private let namespace: (String, String)
    /// The meters of consumers by their names, which end when consumers are removed.
    private let lags = Mutex<[String: Meter]>([:])

    init(factory: any MetricsFactory, namespace: String) {
        self.factory = factory
        self.namespace = ("db.namespace", namespace)
    }

    deinit { lags.withLock { $0.values.forEach { $0.destroy() } } }

    func record(_ report: StoreEvent.HistoryReport) {
        meter("size").set(report.bytes)
        meter("heartbeat_age").set(report.heartbeatAge.inSeconds)
        meter("oldest_consumer_age").set(report.consumers.map(\.age).max()?.inSeconds ?? 0)
        let listed = report.consumers.sorted { ($1.lag, $0.name) < ($0.lag, $1.name) }.prefix(Self.limit)
        lags.withLock { lags in
            let names = Set(listed.map(\.name))
            for (name, meter) in lags where !names.contains(name) {
                meter.destroy()
                lags[name] = nil
            }
            for consumer in listed {
                // Made each time: another container of the store may have destroyed the meter.
                let present = meter("lag", [("howdah.consumer", consumer.name)])
                lags[consumer.name] = present
                present.set(consumer.lag.inSeconds)
            }
        }
    }

    private func meter(_ name: String, _ more: [(String, String)] = []) -> Meter {
        Meter(label: "howdah.history.\(name)", dimensions: [namespace] + more, factory: factory)
    }
}
#endif
