import HowdahModel

/// A result that follows the store: the whole result first, and then its changes, as an asynchronous sequence.
///
/// `PersistentContainer.fetchedResults(_:sectionedBy:)` creates it.
public struct FetchedResults<Object: ManagedObject>: AsyncSequence, Sendable {
    let container: PersistentContainer
    let request: FetchRequest<Object>
    let sections: String?
    let complaint: FetchError?
    /// The key paths of values that are shown with the objects.
    var values: [String] = []

    /// Creates an iterator, which fetches in its first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The position of a loop over the updates.
    public struct Iterator: AsyncIteratorProtocol {
        private let results: FetchedResults
        private let listener: ChangeListener
        private var subscriber: ResultSubscriber?
        private var given = FollowedResult.Version()
        private var pauses = HistoryPauses(polling: .milliseconds(100))

        init(_ results: FetchedResults) {
            self.results = results
            listener = ChangeListener(results.container.hub)
        }

        /// Waits for the next update and returns it; nil if the container was closed.
        ///
        /// If the connection is lost, it tries again.
        ///
        /// - Throws: The errors of ``PersistentContainer/fetchedResults(_:sectionedBy:)``.
        public mutating func next() async throws -> FetchedResultsUpdate<Object>? {
            try await next(isolation: nil)
        }

        /// Waits for the next update as ``next()`` does, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws
            -> FetchedResultsUpdate<Object>?
        {
            while !results.container.hub.isClosed {
                try Task.checkCancellation()
                do {
                    let subscriber = try await subscribed()
                    if let update = try await update(of: subscriber) { return update }
                    if let failure = results.container.hub.lastingFailure { throw failure }
                    pauses.succeed()
                    await subscriber.waiter.wait(atMost: .seconds(3_600))
                } catch let error as StoreError where error.code == .closed {
                    return nil
                } catch {
                    try pauses.fail(error)
                    let pause = pauses.next(isUnflushed: false, isAtEnd: true) ?? .milliseconds(50)
                    try await Task.sleep(for: pause)
                }
            }
            return nil
        }

        /// Returns an update if there is one now, with all changes that were committed before.
        mutating func caughtUp() async throws -> FetchedResultsUpdate<Object>? {
            let subscriber = try await subscribed()
            let token = try await results.container.currentHistoryToken()
            try await results.container.hub.catchUp(to: token)
            return try await update(of: subscriber)
        }

        private mutating func subscribed() async throws -> ResultSubscriber {
            if let subscriber { return subscriber }
            if let complaint = results.complaint { throw complaint }
            let (request, sections, values) = (results.request, results.sections, results.values)
            let checked = try await results.container.perform { context in
                let layout = try context.layout(for: request)
                for path in request.relationshipKeyPathsForPrefetching {
                    try Prefetch(context).check(path, from: layout)
                }
                return try ResultRequest(
                    request, of: layout, in: context.store.layouts, sectionedBy: sections, values: values)
            }
            // Before the rows are read, so that each later change is reported.
            try await results.container.hub.begin()
            let subscriber = results.container.followed.subscribe(checked)
            self.subscriber = subscriber
            return subscriber
        }

        private mutating func update(
            of subscriber: ResultSubscriber
        ) async throws -> FetchedResultsUpdate<Object>? {
            let (version, changes) = try await subscriber.evaluated()
            guard version.number != given.number else { return nil }
            let former = given
            given = version
            guard let changed = changes else {
                return .snapshot(version.list.sections(of: Object.self))
            }
            let difference = ResultDifference(
                from: former.list, to: version.list, changed: Set(changed.keys))
            return difference.isEmpty ? nil : .changes(FetchedResultsDifference(difference, changed))
        }
    }
}
