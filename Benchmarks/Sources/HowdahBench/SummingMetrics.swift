import CoreMetrics
import Synchronization

/// The cheapest back end of metrics: each instrument adds its values, so that a run shows the cost of the library.
final class SummingMetrics: MetricsFactory {
    private let made = Mutex<[(name: String, sum: Sum)]>([])

    /// The number of recorded round trips.
    var statements: Int {
        made.withLock { made in
            made.reduce(0) { $1.name == "db.client.operation.duration" ? $0 + $1.sum.count : $0 }
        }
    }

    private func make(_ name: String) -> Sum {
        let sum = Sum()
        made.withLock { $0.append((name, sum)) }
        return sum
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make(label) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        make(label)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { make(label) }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { make(label) }

    func destroyCounter(_ handler: any CounterHandler) {}

    func destroyRecorder(_ handler: any RecorderHandler) {}

    func destroyMeter(_ handler: any MeterHandler) {}

    func destroyTimer(_ handler: any TimerHandler) {}
}

/// An instrument that adds.
final class Sum: CounterHandler, RecorderHandler, MeterHandler, TimerHandler {
    private let number = Atomic<Int>(0)
    private let total = Atomic<Int64>(0)

    /// The number of values.
    var count: Int { number.load(ordering: .relaxed) }

    func increment(by amount: Int64) { add(amount) }

    func reset() {}

    func record(_ value: Int64) { add(value) }

    func record(_ value: Double) { add(Int64(value)) }

    func set(_ value: Int64) { add(value) }

    func set(_ value: Double) { add(Int64(value)) }

    func increment(by amount: Double) { add(Int64(amount)) }

    func decrement(by amount: Double) { add(Int64(amount)) }

    func recordNanoseconds(_ duration: Int64) { add(duration) }

    private func add(_ value: Int64) {
        number.add(1, ordering: .relaxed)
        total.wrappingAdd(value, ordering: .relaxed)
    }
}
