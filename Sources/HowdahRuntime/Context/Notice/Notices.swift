/// Notices for one listener, from the access to the sequence on.
///
/// Up to 1,000 notices wait for the listener. If it falls further behind, it receives these, and then its
/// sequence ends. Begin another one then, and make contexts read their objects again, for example with
/// ``ManagedObjectContext/refreshAllObjects()``.
///
/// The sequence also ends with its source: a context that ended, a released handle, or a closed container. It
/// does not retain its source. It ends when you release it or cancel the iterating task.
public struct Notices<Notice: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Notice>

    init(_ stream: AsyncStream<Notice>) { self.stream = stream }

    /// The listener's position in the sequence, which has one listener.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Notice>.Iterator

        /// Waits for the next notice and returns it; nil if the sequence ended or the task was cancelled.
        public mutating func next() async -> Notice? { await next(isolation: nil) }

        /// Waits for the next notice as ``next()`` does, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notice? {
            await base.next(isolation: actor)
        }
    }

    /// Begins to iterate over the notices since the access to the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }
}
