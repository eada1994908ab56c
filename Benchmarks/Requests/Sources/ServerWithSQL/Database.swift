import NIOPosix
import PQClient

/// As many connections as the tracker has, used on threads of their own, so that none of Swift's waits for the server.
final class Database: Sendable {
    private static let connections = 8
    private let pool: ConnectionPool
    private let threads = NIOThreadPool(numberOfThreads: connections)

    init(_ url: String) throws {
        // No statement here changes the session.
        pool = ConnectionPool(
            configuration: try ConnectionConfiguration(url), maximumConnections: Self.connections,
            cleansSessions: false)
        threads.start()
    }

    func run<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await threads.runIfActive { [pool] in
            let connection = try pool.lease(timeout: .seconds(5))
            defer { pool.release(connection) }
            return try body(connection)
        }
    }
}
