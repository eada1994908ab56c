public import PQClient

extension PersistentContainer {
    /// Refuses an asynchronous body, which would hold a thread and a connection during `await`.
    @available(
        *, unavailable,
        message: """
            the body is synchronous and uses a connection. Reserve in one perform, await outside of it, and confirm in \
            another. Pass ids and values between them
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
