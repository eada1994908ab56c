import Foundation

/// An object that cuts a session off from any thread, even if another thread uses the connection.
package final class SessionShutdown: Sendable {
    /// A separate descriptor, because the connection's own may be closed and reused at any time.
    private let descriptor: Int32

    init(_ socket: Int32) { descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0) }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Ends the session for the server, which rolls back. Later uses of the connection throw
    /// `connectionLost`.
    package func shutDown() { if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
}
