import Foundation
import Synchronization

/// A pooler in transaction mode that imitates the prepared statements of PgBouncer 1.21 and later
/// (`max_prepared_statements` above 0); Debian 12 has 1.18, which passes their names through.
///
/// Some server sessions of one database serve many clients, each from its first message until the server is idle
/// again. A prepared statement is `PGBOUNCER_<n>` on the server, numbered by its text and parameter types for all
/// clients. A session that has it is not sent Parse again. So a text whose result changes its type fails on such a
/// session with SQLSTATE 0A000, however often a client prepares it. Statements by which SQL deallocates names go
/// through and fail, as with the original. As in 1.21, DISCARD ALL and DEALLOCATE ALL are not noticed.
///
/// Unlike the original it does not repeat a client's `application_name` and `client_encoding` on the server session,
/// and has one user. Nothing that passes is logged.
public final class TranslatingPooler: Sendable {
    private struct State {
        var idle: [PooledSession] = []
        var all: [PooledSession] = []
        var clients: [UInt64: PoolerClient] = [:]
        var parameters: [String: [UInt8]] = [:]
        var isStopped = false
    }

    /// The most clients at a time.
    static let clientLimit = 500

    /// The socket of the pooler, with the database's name.
    public let address: ServerAddress
    let server: ServerAddress
    let names = StatementNames()
    /// The most prepared statements of a server session.
    let statementLimit: Int
    private let folder: URL
    private let listener: Int32
    private let places: DispatchSemaphore
    private let state = Mutex(State())

    /// Connects to the server and listens.
    ///
    /// - Parameters:
    ///   - url: a connection string of the database.
    ///   - sessions: the number of server sessions.
    ///   - preparedStatements: PgBouncer's setting `max_prepared_statements`.
    public init(_ url: String, sessions: Int = 3, preparedStatements: Int = 200) throws {
        server = try ServerAddress(url)
        statementLimit = preparedStatements
        places = DispatchSemaphore(value: sessions)
        folder = FileManager.default.temporaryDirectory.appending(
            path: "tp-" + String(UInt32.random(in: .min ... .max), radix: 36))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var address = server
        address.folder = folder.path(percentEncoded: false)
        self.address = address
        listener = try UnixStream.listen(on: address.socketPath)
        // Clients are told the parameters of a server session before they have one.
        let first = try session()
        state.withLock { $0.parameters = first.parameters }
        put(back: first)
        Thread.detachNewThread { [self] in serve() }
    }

    /// The connection string of the database through the pooler.
    public var url: String { address.url }

    /// The number of different statements that clients have prepared.
    public var statementCount: Int { names.count }

    /// Ends all connections and removes the socket.
    public func stop() {
        let (sessions, clients) = state.withLock { state in
            state.isStopped = true
            return (state.all, Array(state.clients.values))
        }
        UnixStream.shutDown(listener)
        for client in clients { client.end() }
        for session in sessions { session.end() }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Server sessions

    /// Takes the session that has been idle longest, or a new one; waits up to half a minute.
    ///
    /// - Throws: `POSIXError` if none came free or the server refuses a new one.
    func session() throws -> PooledSession {
        guard places.wait(timeout: .now() + 300) == .success else { throw POSIXError(.ETIMEDOUT) }
        let idle = state.withLock { state in
            state.idle.removeAll { !$0.isAlive }
            return state.idle.isEmpty ? nil : state.idle.removeFirst()
        }
        if let idle { return idle }
        do {
            let session = try PooledSession(self)
            state.withLock { state in
                state.all.removeAll { !$0.isAlive }
                state.all.append(session)
            }
            return session
        } catch {
            places.signal()
            throw error
        }
    }

    /// Gives a session to the next client, or forgets it if it has ended.
    func put(back session: PooledSession) {
        state.withLock { if session.isAlive { $0.idle.append(session) } }
        places.signal()
    }

    // MARK: Clients

    /// What every client is told when it has connected.
    var greeting: [UInt8] { state.withLock { $0.parameters.values.flatMap { $0 } } }

    /// Remembers a client by the key it was told; false if there are too many.
    func add(_ client: PoolerClient) -> Bool {
        state.withLock { state in
            guard state.clients.count < Self.clientLimit, !state.isStopped else { return false }
            state.clients[client.key] = client
            return true
        }
    }

    /// Forgets a client.
    func remove(_ client: PoolerClient) { state.withLock { $0.clients[client.key] = nil } }

    /// Cancels the statement of the client with the key, if it has one running.
    func cancel(_ key: UInt64) { state.withLock { $0.clients[key] }?.cancel() }

    private func serve() {
        while let descriptor = UnixStream.accept(listener) {
            let client = PoolerClient(descriptor, self)
            Thread.detachNewThread { client.run() }
        }
        UnixStream.close(listener)
    }
}
