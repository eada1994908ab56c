import HowdahModel
import HowdahSchema
import Logging
import PQClient
import Synchronization

/// The task of a container that keeps the history: a heartbeat every five seconds, and the upkeep of its
/// slots every minute.
///
/// Of all processes with the store, one does each of them. It keeps nothing in a session.
final class HistoryKeeper: Sendable {
    private let store: Store
    private let pause: Duration
    private let upkeep: Duration
    private let state = Mutex(State())
    private let isReporting = Atomic<Bool>(false)

    private struct State {
        var task: Task<Void, Never>?
        /// The task of the last heartbeat.
        var last: Task<Void, Never>?
    }

    init(_ store: Store, pause: Duration = .seconds(5), upkeep: Duration = .seconds(60)) {
        self.store = store
        self.pause = pause
        self.upkeep = upkeep
    }

    /// Begins to keep the history.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            // It outlives the task that opens the container, so it must not be part of its trace.
            state.task = Task.detached(priority: .utility) { [self] in await run() }
        }
    }

    /// Stops without a last heartbeat.
    func cancel() { state.withLock { $0.task?.cancel() } }

    /// Stops, after a last heartbeat, so that the next process repeats little. The container is closed to other work,
    /// so the heartbeat needs a place that is free.
    ///
    /// Further calls wait for the same heartbeat.
    ///
    /// - Parameter end: The time until which it waits, and at least half a second. Observers may hold up the heartbeat.
    func stop(by end: ContinuousClock.Instant = .now + .seconds(2)) async {
        let time = max(.milliseconds(500), min(.seconds(2), end - .now))
        let last = state.withLock { state -> Task<Void, Never>? in
            guard state.last == nil, let running = state.task else { return state.last }
            running.cancel()
            let last = Task.detached { [self] in
                await running.value
                _ = try? await beat(within: time, isLast: true)
            }
            state.last = last
            return last
        }
        guard let last else { return }
        let (ending, continuation) = AsyncStream<Void>.makeStream()
        Task.detached {
            await last.value
            continuation.finish()
        }
        Task.detached {
            try? await Task.sleep(for: time)
            continuation.finish()
        }
        for await _ in ending {}
    }

    private func run() async {
        var lastUpkeep = ContinuousClock.now
        var lastReport = LastReport()
        var (hasWarned, next) = (false, pause)
        // A program that lives for seconds leaves the heartbeats to others.
        while (try? await Task.sleep(for: next)) != nil {
            do {
                if try await beat(within: .seconds(30)), .now - lastUpkeep >= upkeep {
                    lastUpkeep = .now
                    try await maintain()
                }
                (hasWarned, next) = (false, pause)
            } catch is CancellationError {
                return
            } catch let error as StoreError where error.code == .closed {
                return
            } catch {
                // A missing right, for example, is not granted soon. Each attempt is in the log of the server.
                next = HistoryPauses.isTransient(error) ? pause : min(next * 2, .seconds(300))
                if !hasWarned {
                    hasWarned = true
                    store.log.logger.warning(
                        "The history was not maintained, and the attempt is repeated. Correct the cause.",
                        metadata: ["error": "\(error)"])
                }
            }
            await report(&lastReport)
        }
    }

    private func beat(within time: Duration, isLast: Bool = false) async throws -> Bool {
        try await perform(within: time, isLast: isLast) { try HistoryKeeping($0.store).beat(on: $1) }
    }

    private func maintain() async throws {
        let late = try await perform(within: .seconds(60)) { context, connection in
            try HistoryKeeping(context.store).maintain(on: connection)
            return try HistoryConsumers(context.store).late(on: connection).map {
                "\($0.name) (\($0.days) days)"
            }
        }
        if late.isEmpty { return }
        store.log.logger.warning(
            """
            History consumers have acknowledged nothing for twice the retention, so that the history grows. Run them, or \
            remove them with howdah history forget.
            """,
            metadata: ["consumers": "\(late.joined(separator: ", "))"])
    }

    /// The last report to observers.
    private struct LastReport {
        var time: ContinuousClock.Instant?
        var hasFailed = false
    }

    /// Reports the state of the history to observers, if that is due. A failure does not concern the upkeep.
    ///
    /// Each process with an observer does so, or the numbers of one would become old.
    private func report(_ last: inout LastReport) async {
        guard store.events.isOn, last.time.map({ .now - $0 >= upkeep }) ?? true else { return }
        last.time = .now
        do {
            let measures = try await perform(within: .seconds(60)) { context, connection in
                try HistoryMeasures(in: context.store.layouts.schema.schemaName, on: connection)
            }
            last.hasFailed = false
            // Heartbeats and the end of the container do not wait for observers.
            guard !isReporting.exchange(true, ordering: .acquiring) else { return }
            Task.detached(priority: .utility) { [self] in
                let events = store.events
                await events.deliver { events.emit(.history(.init(measures))) }
                isReporting.store(false, ordering: .releasing)
            }
        } catch {
            if Task.isCancelled || (error as? StoreError)?.code == .closed || last.hasFailed { return }
            last.hasFailed = true
            store.log.logger.warning(
                "The state of the history was not measured for observers, and the attempt is repeated. Correct the cause.",
                metadata: ["error": "\(error)"])
        }
    }

    private func perform<T: Sendable>(
        within time: Duration, isLast: Bool = false,
        _ body: @escaping @Sendable (ManagedObjectContext, Connection) throws -> T
    ) async throws -> T {
        try await ContextActor(store: store).performRetrying(
            isolation: nil, retrying: .never, deadline: .now + time, isUpkeep: true, isLast: isLast
        ) { context in
            try context.withConnection { try body(context, $0) }
        }
    }
}
