import HowdahModel
import PQClient
import Synchronization

/// The followed results of a container, and the way of changes to them.
final class FollowedResults: Sendable {
    private let store: Store
    private let results = Mutex<[ResultKey: FollowedResult]>([:])
    /// The evaluations that may run at one time: half of the connections.
    private let places: AdmissionQueue

    init(_ store: Store) {
        self.store = store
        places = AdmissionQueue(places: max(1, store.settings.maximumConnections / 2))
    }

    // MARK: Subscribers

    /// Returns a subscriber of a request's result, which shares it with others of equal requests.
    func subscribe(_ request: ResultRequest) -> ResultSubscriber {
        results.withLock { results in
            let result = results[request.key] ?? FollowedResult(request)
            results[request.key] = result
            let subscriber = ResultSubscriber(result, in: self)
            result.add(subscriber)
            return subscriber
        }
    }

    func remove(_ subscriber: ResultSubscriber) {
        results.withLock { results in
            let result = subscriber.result
            guard result.remove(subscriber), results[result.request.key] === result else { return }
            results[result.request.key] = nil
        }
    }

    /// Wakes all subscribers, so that they see that the container was closed.
    func wake() {
        for result in results.withLock({ Array($0.values) }) { result.wake() }
    }

    /// The number of results that are followed.
    var count: Int { results.withLock(\.count) }

    // MARK: Changes

    /// Marks the results that a window of changes may concern.
    func hear(_ window: ChangeHub.Window) async {
        let followed = results.withLock { Array($0.values) }
        guard !followed.isEmpty else { return }
        switch window.kind {
        case .start: return
        case .gap: for result in followed { result.mark { $0.addEverything() } }
        case .next: break
        }
        for row in window.rows where row.origin == .migration {
            guard row.entity.isEmpty else { continue }
            for result in followed { result.mark { $0.addEverything() } }
        }
        let changes = window.rows.compactMap { ChangedRows($0, in: store.layouts) }
        var routed: [ResultRouter.Target] = []
        for result in followed {
            let routes = result.request.dependencies.routes
            let rows = changes.filter { rows in routes.contains { $0.entities.contains(rows.entity) } }
            guard !rows.isEmpty else { continue }
            if result.request.decider != nil {
                routed.append(ResultRouter.Target(result: result, rows: rows))
            } else {
                mark(result, rows)
            }
        }
        await mark(routed)
    }

    /// Marks the results that know changed rows or that these enter.
    private func mark(_ targets: [ResultRouter.Target]) async {
        let router = ResultRouter(targets)
        guard targets.count >= ResultRouter.fewest, let references = router.references,
            let matches = try? await read({ try router.matches(references, in: $0) })
        else {
            for target in targets { mark(target.result, target.rows) }
            return
        }
        for (target, keys) in zip(targets, matches) {
            mark(target.result, target.rows) { keys.contains($0) || target.result.knows($0) }
        }
    }

    private func mark(
        _ result: FollowedResult, _ rows: [ChangedRows],
        where isCandidate: (Int64) -> Bool = { _ in true }
    ) {
        let identifier = store.identifier
        let candidates = Set(rows.flatMap(\.keys).filter(isCandidate))
        guard !candidates.isEmpty else { return }
        result.mark { marks in
            for rows in rows {
                marks.add(rows, result.request.dependencies, storeIdentifier: identifier) {
                    candidates.contains($0)
                }
            }
        }
    }

    // MARK: Reading

    /// Runs an evaluation in a span, if there is a tracer.
    ///
    /// - Parameter body: The evaluation, which returns its error.
    func observingEvaluation(
        of entityName: String, _ body: @escaping @Sendable () async -> (any Error)?
    ) async {
        guard let span = store.events.begin(.evaluation(entityName: entityName)) else {
            _ = await body()
            return
        }
        // A new task has the task-local values of the span.
        span.end(await span.run { Task { await body() } }.value)
    }

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await ContextActor(store: store).performRetrying(
            isolation: nil, retrying: .never, deadline: nil, isUpkeep: true, body)
    }

    /// Runs `body` with a reader of a request's rows.
    func read<T: Sendable>(
        _ request: ResultRequest, _ body: @escaping @Sendable (ResultReader) throws -> T
    ) async throws -> T {
        let relay = CancellationRelay()
        guard case .admitted = await places.enter(until: nil, relay) else {
            throw StoreError.closed()
        }
        defer { places.leave() }
        return try await ContextActor(store: store).performRetrying(
            isolation: request.sortsByOtherRows ? .repeatableRead : nil, retrying: .never, deadline: nil,
            isUpkeep: true
        ) { context in
            try body(ResultReader(context: context, request: request))
        }
    }
}
