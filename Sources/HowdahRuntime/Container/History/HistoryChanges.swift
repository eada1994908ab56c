import HowdahModel
import PQClient

/// The changes of a store as an asynchronous sequence of batches, in their order and without gaps.
///
/// `PersistentContainer.changes(after:of:where:)` and ``HistoryConsumer/changes(of:where:)`` create it.
public struct HistoryChanges: AsyncSequence, Sendable {
    /// The place at which the loop begins.
    enum Start: Sendable {
        case now
        case token(HistoryToken)
        case consumer(String)
    }

    let container: PersistentContainer
    let start: Start
    let filter: HistoryFilter?

    /// Creates an iterator, which reads the first batch in ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The position of a loop over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: HistoryChanges
        private let listener: ChangeListener
        private var reader: HistoryReader?
        private var place: Place?
        private var position: HistoryPosition?
        private var kept: HistoryEdge?
        /// The last edge that came from the hub, which is tried once.
        private var hubEdge: HistoryEdge?
        /// Indicates whether a reading repeated changes that no batch has reported yet.
        private var isRewound = false
        private var pauses: HistoryPauses

        /// The token of the last reading.
        private struct Place: Sendable {
            var token: HistoryToken
            var isComplete = false
        }

        init(_ changes: HistoryChanges) {
            self.changes = changes
            listener = ChangeListener(changes.container.hub)
            pauses = HistoryPauses(polling: changes.container.store.settings.changePolling)
        }

        /// Waits for the next batch and returns it; nil if the container was closed.
        ///
        /// - Throws: ``HistoryError``, or `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> HistoryBatch? { try await next(isolation: nil) }

        /// Waits for the next batch as ``next()`` does, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> HistoryBatch? {
            while true {
                try Task.checkCancellation()
                do {
                    if let batch = try await step() {
                        pauses.reset()
                        return batch
                    }
                } catch let error as StoreError where error.code == .closed {
                    return nil
                } catch let error as HistoryError where error.code == .tokenExpired {
                    guard case .consumer(let name) = changes.start else { throw error }
                    throw HistoryError.expired(for: name)
                } catch {
                    try pauses.fail(error)
                }
                // All streams share one look. If the log's end is not flushed, which lasts while others write, the stream
                // waits at the hub's place, since it cannot know the newest one.
                let hub = changes.container.hub
                if kept != nil, let place, place.isComplete, hub.signalsAll(after: place.token) { kept = nil }
                if let pause = pauses.next(isUnflushed: kept != nil, isAtEnd: place?.isComplete ?? false) {
                    // The time limit is for consumers without anything to deliver.
                    let isShared = kept == nil && !pauses.isFailing
                    await listener.waiter.wait(atMost: isShared ? .seconds(30) : pause)
                }
            }
        }

        /// Reads once; nil if there is nothing to deliver.
        private mutating func step() async throws -> HistoryBatch? {
            let store = changes.container.store
            let reader =
                try self.reader ?? HistoryReader(store, HistoryConditions(changes.filter, in: store))
            self.reader = reader
            // The hub's place is flushed already.
            if let token = place?.token, let edge = changes.container.hub.edge(after: token), edge != hubEdge
            {
                (kept, hubEdge) = (edge, edge)
            }
            let (start, known, kept, position) = (changes.start, place?.token, kept, position)
            let read = try await changes.container.perform { context in
                try context.withHistory { connection in
                    var (token, position) = (known, position)
                    if token == nil {
                        (token, position) = try Self.begin(start, reader, store, on: connection)
                    }
                    guard let token else { throw HistoryError.missing }
                    var reading = try reader.read(after: token, keeping: kept, on: connection)
                    var assembly = HistoryAssembly(store, reader.conditions)
                    let transactions = assembly.transactions(reading)
                    reading.rows = []
                    return (reading, transactions, position)
                }
            }
            let (reading, transactions, found) = read
            (self.position, self.kept) = (found, reading.kept)
            place = Place(token: reading.token, isComplete: reading.isComplete)
            pauses.succeed()
            // A checkpoint came between. The new edge is flushed as soon as the old one would have been.
            if reading.end == nil, let kept, kept != reading.kept { pauses.beginFlushing() }
            isRewound = isRewound || reading.isRewound
            guard !transactions.isEmpty else {
                if reading.isComplete { try await advance(to: reading.token) }
                return nil
            }
            found?.deliver(reading.token.description)
            // All pages of a rewound window may repeat changes.
            defer { if reading.isComplete { isRewound = false } }
            return HistoryBatch(
                transactions: transactions, token: reading.token, isAfterFailover: isRewound, position: found)
        }

        private static func begin(
            _ start: Start, _ reader: HistoryReader, _ store: Store, on connection: Connection
        ) throws -> (HistoryToken, HistoryPosition?) {
            switch start {
            case .now: return (try reader.currentToken(on: connection), nil)
            case .token(let token): return (token, nil)
            case .consumer(let name):
                guard let text = try HistoryConsumers(store).token(of: name, on: connection) else {
                    throw HistoryError.removed(name)
                }
                guard let token = HistoryToken(text) else { throw HistoryError.unreadable(name) }
                return (token, HistoryPosition(name, at: text))
            }
        }

        /// Moves the stored token of a consumer that has nothing to acknowledge, at first and once a minute.
        private mutating func advance(to token: HistoryToken) async throws {
            guard let position, let stored = position.caughtUp, stored != token.description,
                pauses.mayAdvance()
            else { return }
            position.deliver(token.description)
            let batch = HistoryBatch(
                transactions: [], token: token, isAfterFailover: false, position: position)
            try await changes.container.perform { try $0.acknowledge(batch) }
        }
    }
}
