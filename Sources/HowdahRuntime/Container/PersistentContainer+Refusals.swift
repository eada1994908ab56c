public import PQClient

extension PersistentContainer {
    /// Refuses an asynchronous body, which would hold a thread and a connection during `await`.
    @available(
        *, unavailable,
        message: """
            the body of perform is synchronous, because it uses a connection. End this perform before you await, and \
            begin another one afterwards. Pass ids and values between the two
            """
    )
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func perform<T>(
            isolation: Isolation? = nil, retrying policy: RetryPolicy = .never, timeout: Duration? = nil,
            _ body: @escaping (ManagedObjectContext) async throws -> T
        ) async throws -> T
    {
        _Emitted.refused()
    }
}
