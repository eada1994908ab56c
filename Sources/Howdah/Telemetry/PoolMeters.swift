#if Server || All || Telemetry
import CoreMetrics
import HowdahRuntime
import PQClient
import Synchronization

/// The numbers of a pool's connections, about once per second while some are used, because reading them takes the
/// pool's lock.
final class PoolMeters: Sendable {
    /// The pause before each reading, in seconds. It is random, because work that repeats each second would always, or
    /// never, be found.
    private static let pause = 0.5...1.5

    /// The name, which no other pool of the process has meanwhile.
    let name: String
    private let status: @Sendable () -> PoolStatus
    private let idle: Meter
    private let used: Meter
    private let maximum: Meter
    private let idleMaximum: Meter
    private let idleMinimum: Meter
    private let pending: Meter
    private let isRecording = Atomic<Bool>(false)

    init(factory: any MetricsFactory, place: StorePlace) {
        name = PoolNames.take(place)
        status = place.status
        let pool = Self.label(name)
        func meter(_ name: String, _ more: [(String, String)] = []) -> Meter {
            Meter(label: "db.client.connection.\(name)", dimensions: [pool] + more, factory: factory)
        }
        idle = meter("count", [("db.client.connection.state", "idle")])
        used = meter("count", [("db.client.connection.state", "used")])
        maximum = meter("max")
        idleMaximum = meter("idle.max")
        idleMinimum = meter("idle.min")
        pending = meter("pending_requests")
    }

    /// A container that ended has no connections, and meters keep their last value. Only afterwards may another pool
    /// have the name.
    deinit {
        for meter in [idle, used, pending] { meter.set(0) }
        PoolNames.release(name)
    }

    /// Returns the label of a pool.
    static func label(_ name: String) -> (String, String) { ("db.client.connection.pool.name", name) }

    /// Records the numbers from now on, after a connection was leased, or the pool was closed.
    ///
    /// The first reading is not at the lease: it would always find that connection used, and show it until the next
    /// reading. One task reads, because of two the one that read the numbers first could record them last.
    func noteUse() {
        // Almost always it runs.
        guard !isRecording.load(ordering: .sequentiallyConsistent),
            !isRecording.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        // Outside of the trace of the request that uses the connection.
        Task.detached { [weak self] in
            repeat {
                try? await Task.sleep(for: .seconds(.random(in: Self.pause)))
            } while self?.recordOnce() == true
        }
    }

    /// Records the numbers; false if the task has to end, because no connection is used.
    private func recordOnce() -> Bool {
        let recorded = record()
        if isBusy(recorded) { return true }
        isRecording.store(false, ordering: .sequentiallyConsistent)
        // A connection that was leased or closed in between found that a task was recording.
        return status() != recorded && !isRecording.exchange(true, ordering: .sequentiallyConsistent)
    }

    private func isBusy(_ status: PoolStatus) -> Bool {
        status.leased + status.opening + status.waiting > 0
    }

    private func record() -> PoolStatus {
        let status = status()
        idle.set(status.idle)
        used.set(status.leased)
        maximum.set(status.maximum)
        idleMaximum.set(status.maximum)
        // The pool closes all connections that are idle for long enough.
        idleMinimum.set(0)
        pending.set(status.waiting)
        return status
    }
}
#endif
