/// Notices for one listener, from the moment the sequence was asked for.
///
/// Up to 1,000 notices wait for the listener. One that falls further behind gets those, and then its sequence ends: begin
/// another, and have contexts read anew what they know, as by ``ManagedObjectContext/refreshAllObjects()``. The sequence
/// also ends with what it is about: a context that ended, a handle nobody holds any more, a container that was closed.
/// It holds none of them. Whoever drops it, or cancels the task that reads it, is forgotten.
public struct Notices<Notice: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Notice>

    init(_ stream: AsyncStream<Notice>) { self.stream = stream }

    /// The listener's place in the sequence; there is one listener.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Notice>.Iterator

        /// The next notice, as soon as there is one; nil where the sequence ended or the task was cancelled.
        public mutating func next() async -> Notice? { await next(isolation: nil) }

        /// The next notice, without leaving the caller's actor; as ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notice? {
            await base.next(isolation: actor)
        }
    }

    /// Begins to read the notices that came since the sequence was asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }
}
