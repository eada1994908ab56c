import PQClient

/// As many connections as the tracker has, used on threads of their own, so that none of Swift's waits for the server.
final class Database: Sendable {
    private static let connections = 8
    private let pool: ConnectionPool
    private let workers = WorkerPool(maximumThreads: connections, name: "sql")

    init(_ url: String) throws {
        // No statement here changes the session.
        pool = ConnectionPool(
            configuration: try ConnectionConfiguration(url), maximumConnections: Self.connections,
            cleansSessions: false)
    }

    func run<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            workers.enqueue(Work(pool: pool, body: body, continuation: continuation))
        }
    }
}

private final class Work<Result: Sendable>: PoolWork {
    private let pool: ConnectionPool
    private let body: @Sendable (Connection) throws -> Result
    private let continuation: CheckedContinuation<Result, any Error>

    init(
        pool: ConnectionPool, body: @escaping @Sendable (Connection) throws -> Result,
        continuation: CheckedContinuation<Result, any Error>
    ) {
        (self.pool, self.body, self.continuation) = (pool, body, continuation)
    }

    func run() {
        do {
            let connection = try pool.lease(timeout: .seconds(5))
            defer { pool.release(connection) }
            continuation.resume(returning: try body(connection))
        } catch { continuation.resume(throwing: error) }
    }
}
