public import HowdahModel

/// A notice that programs changed the store, with the token after their changes.
///
/// Source: Core Data's `NSPersistentStoreRemoteChange`.
public struct StoreRemoteChange: Hashable, Sendable {
    /// The token after the changes. Fetch the history after your own last token to see them.
    public let token: HistoryToken
}

/// The changes of a store by all programs, this one included, as notices without the changes themselves.
///
/// Several changes may be one notice, and a loop that rests gets one for all that it missed.
/// ``PersistentContainer/remoteChanges`` creates it.
public struct StoreRemoteChanges: AsyncSequence, Sendable {
    let hub: ChangeHub

    /// Begins to follow the changes from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(hub) }

    /// The position of a loop over the notices.
    public struct Iterator: AsyncIteratorProtocol {
        private let hub: ChangeHub
        private let listener: ChangeListener
        private var seen: Int?

        init(_ hub: ChangeHub) {
            self.hub = hub
            listener = ChangeListener(hub)
        }

        /// Waits for the next notice and returns it; nil if the container was closed.
        ///
        /// - Throws: ``HistoryError`` with `noHistory` or `database`; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> StoreRemoteChange? { try await next(isolation: nil) }

        /// Waits for the next notice as ``next()`` does, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> StoreRemoteChange? {
            if seen == nil {
                do { try await hub.begin() } catch let error as StoreError where error.code == .closed {
                    return nil
                }
                seen = hub.last.number
            }
            while !hub.isClosed {
                try Task.checkCancellation()
                let last = hub.last
                if last.number != seen, let token = last.token {
                    seen = last.number
                    return StoreRemoteChange(token: token)
                }
                if let failure = hub.lastingFailure { throw failure }
                await listener.waiter.wait(atMost: .seconds(30))
            }
            return nil
        }
    }
}

extension PersistentContainer {
    /// The notices that programs changed the store, from the first call of the iterator on.
    ///
    /// All loops of a container share one look at the history, and hold no changes. The store needs a history.
    ///
    /// Source: Core Data's `NSPersistentStoreRemoteChange`.
    public var remoteChanges: StoreRemoteChanges { StoreRemoteChanges(hub: hub) }
}
