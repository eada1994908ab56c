extension Store {
    /// Runs `body` concurrently with the calling task, with no connection and on no thread of the store.
    ///
    /// The call returns when the body does. It returns at once if the task is cancelled, the container is
    /// closed, or the session has not advanced for the idle timeout. It does not wait for a body that ignores
    /// cancellation. That body ends when its source or client reacts, and by then `advance()` throws.
    ///
    /// - Parameters:
    ///   - thread: The thread of a body that blocks; nil for Swift's own threads.
    ///   - side: The side of the stream that may be slow.
    /// - Throws: The error of the body; `CancellationError`; `StoreError` with `closed` or `streamIdle`.
    nonisolated(nonsending)
        package func stream<T: Sendable>(
            with side: StreamSide, on thread: BlockingThreads? = nil,
            _ body: @escaping @Sendable (StreamSession) async throws -> T
        ) async throws -> T
    {
        try Task.checkCancellation()
        let session = StreamSession()
        let closed = StoreError(
            .closed,
            "The stream ended because the container was closed.\(side.consequence) Open the container again.")
        guard let number = streams.add({ session.end(.interrupted(closed)) }) else { throw closed }
        defer { streams.remove(number) }
        let worker = Task(executorPreference: thread) {
            defer { session.end(.finished) }
            return try await body(session)
        }
        let watch = settings.streamIdleTimeout.map { timeout in
            let error = StoreError(
                .streamIdle,
                "\(side.idleness) for \(timeout).\(side.consequence) Find out why \(side.name) is slow, or set a "
                    + "longer StoreOptions.streamIdleTimeout.")
            return Task { await session.watch(timeout, error) }
        }
        defer { watch?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await session.outcome()
        } onCancel: {
            session.end(.interrupted(CancellationError()))
        }
        switch outcome {
        case .finished: return try await worker.value
        case .interrupted(let error):
            worker.cancel()
            throw error
        }
    }
}
