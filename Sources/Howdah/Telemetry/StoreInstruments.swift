#if Server || All || Telemetry
import CoreMetrics
import HowdahRuntime
import PQClient
import Synchronization

/// The instruments of a container.
final class StoreInstruments: Sendable {
    private struct State {
        var timers: [[String]: any TimerHandler] = [:]
        var counters: [[String]: Counter] = [:]
        /// The timers of units of work with an isolation, and of their queues.
        var isolated: [(unit: any TimerHandler, queue: any TimerHandler)?] = [nil, nil, nil]
    }

    private let factory: any MetricsFactory
    private let errors = ErrorTypes()
    private let state = Mutex(State())
    private let statements: StatementInstruments
    // These are needed by almost all work, and found without a lock.
    private let save: any TimerHandler
    private let savedObjects: any RecorderHandler
    private let wait: any TimerHandler
    private let use: any TimerHandler
    private let creation: any TimerHandler
    private let unit: any TimerHandler
    private let queue: any TimerHandler
    private let pool: PoolMeters
    private let history: HistoryMeters

    init(factory: any MetricsFactory, place: StorePlace, hasConstantLabels: Bool) {
        self.factory = factory
        pool = PoolMeters(factory: factory, place: place)
        statements = StatementInstruments(
            factory: factory, place: place, errors: errors, hasConstantLabels: hasConstantLabels)
        func timer(_ name: String, _ label: (String, String)) -> any TimerHandler {
            factory.timer(name, [label])
        }
        save = timer("howdah.save.duration", Self.success)
        savedObjects = factory.makeRecorder(
            label: "howdah.save.objects", dimensions: [], aggregate: true)
        let label = PoolMeters.label(pool.name)
        wait = timer("db.client.connection.wait_time", label)
        use = timer("db.client.connection.use_time", label)
        creation = timer("db.client.connection.create_time", label)
        unit = factory.timer("howdah.perform.duration", [Self.label(nil), Self.success])
        queue = timer("howdah.perform.queue_time", Self.label(nil))
        history = HistoryMeters(factory: factory, namespace: place.namespace)
    }

    /// Records the numbers of connections now.
    func recordPool() { pool.noteUse() }

    func observe(_ event: StoreEvent) {
        switch event {
        case .statement(let statement): statements.record(statement)
        case .unitOfWork(let unit):
            guard let error = unit.error else {
                return recordUnit(
                    unit.isolation, unit.duration.nanoseconds, queueTime: unit.queueTime.nanoseconds)
            }
            timer("howdah.perform.duration", [Self.label(unit.isolation), outcome(error)])
                .recordNanoseconds(unit.duration.nanoseconds)
            timers(unit.isolation).queue.recordNanoseconds(unit.queueTime.nanoseconds)
        case .save(let save):
            guard let error = save.error else {
                return recordSave(
                    save.duration.nanoseconds,
                    objects: save.insertedCount + save.updatedCount + save.deletedCount)
            }
            timer("howdah.save.duration", [outcome(error)]).recordNanoseconds(save.duration.nanoseconds)
        case .conflict(let conflict):
            counter(
                "howdah.save.conflicts",
                [
                    ("howdah.entity", conflict.entityName ?? "unknown"),
                    ("howdah.outcome", conflict.isResolved ? "resolved" : conflict.code.description),
                ]
            ).increment(by: conflict.count)
        case .retry(let retry):
            counter(
                "howdah.\(retry.work == .unitOfWork ? "perform" : retry.work.rawValue).retries",
                [("error.type", errors.label(retry.error))]
            ).increment()
        case .connectionOpened(let duration):
            creation.recordNanoseconds(duration.nanoseconds)
        case .poolWait(let wait):
            guard let error = wait.error else { return record(.poolWait, wait.duration.nanoseconds) }
            if error.isTimeout {
                counter("db.client.connection.timeouts", [PoolMeters.label(pool.name)]).increment()
            }
        case .connectionUse(let duration): record(.connectionUse, duration.nanoseconds)
        case .cohortStep(let step):
            counter(
                "howdah.fetch.cohort_steps",
                [
                    ("howdah.entity", step.entityName),
                    ("howdah.relationship", step.relationshipName ?? "none"),
                ]
            ).increment()
        case .migration(let migration):
            let code = migration.error.map { migration.code ?? errors.label($0) }
            timer(
                "howdah.migration.duration",
                [
                    ("howdah.migration.work", migration.work.rawValue),
                    code.map { ("howdah.outcome", $0) } ?? Self.success,
                ]
            )
            .recordNanoseconds(migration.duration.nanoseconds)
        case .history(let report): history.record(report)
        case .changesNotFollowed(let error):
            counter("howdah.history.failures", [("error.type", errors.label(error))]).increment()
        }
    }

    /// The label of work that succeeded.
    private static let success = ("howdah.outcome", "ok")

    /// Returns the label of work that failed.
    private func outcome(_ error: any Error) -> (String, String) { ("howdah.outcome", errors.label(error)) }

    /// Returns the label of an isolation.
    private static func label(_ isolation: Isolation?) -> (String, String) {
        ("howdah.isolation", isolation?.rawValue ?? "none")
    }

    private func timers(_ isolation: Isolation?) -> (
        unit: any TimerHandler, queue: any TimerHandler
    ) {
        let index =
            switch isolation {
            case nil: -1
            case .readCommitted: 0
            case .repeatableRead: 1
            case .serializable: 2
            }
        if index < 0 { return (unit, queue) }
        return state.withLock { state in
            if let known = state.isolated[index] { return known }
            let label = Self.label(isolation)
            let made = (
                unit: factory.timer("howdah.perform.duration", [label, Self.success]),
                queue: factory.timer("howdah.perform.queue_time", [label])
            )
            state.isolated[index] = made
            return made
        }
    }

    private func timer(_ name: String, _ labels: [(String, String)]) -> any TimerHandler {
        state.withLock { state in
            let key = [name] + labels.map(\.1)
            if let known = state.timers[key] { return known }
            let made = factory.timer(name, labels)
            state.timers[key] = made
            return made
        }
    }

    private func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        state.withLock { state in
            let key = [name] + labels.map(\.1)
            if let known = state.counters[key] { return known }
            let made = Counter(label: name, dimensions: labels, factory: factory)
            state.counters[key] = made
            return made
        }
    }
}

extension StoreInstruments: StoreMeter {
    func record(_ tally: borrowing RoundTripTally) { statements.record(tally) }

    func record(_ measure: WorkMeasure, _ nanoseconds: Int64) {
        switch measure {
        case .poolWait:
            wait.recordNanoseconds(nanoseconds)
            pool.noteUse()
        case .connectionUse: use.recordNanoseconds(nanoseconds)
        }
    }

    func recordUnit(_ isolation: Isolation?, _ time: Int64, queueTime: Int64) {
        if isolation == nil {
            unit.recordNanoseconds(time)
            queue.recordNanoseconds(queueTime)
            return
        }
        let (unit, queue) = timers(isolation)
        unit.recordNanoseconds(time)
        queue.recordNanoseconds(queueTime)
    }

    func recordSave(_ time: Int64, objects: Int) {
        save.recordNanoseconds(time)
        savedObjects.record(Int64(objects))
    }
}

extension MetricsFactory {
    /// Makes a timer that shows seconds.
    func timer(_ name: String, _ labels: [(String, String)]) -> any TimerHandler {
        let made = makeTimer(label: name, dimensions: labels)
        made.preferDisplayUnit(.seconds)
        return made
    }
}
#endif
