import Foundation

/// Cuts a session off from any thread, while another one may be in the middle of using its connection.
package final class Severance: Sendable {
    /// A descriptor of its own: the connection's may be closed and given to somebody else at any time.
    private let descriptor: Int32

    init(_ socket: Int32) { descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0) }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Has the server find the session at its end, and roll back; whoever goes on to use the connection gets
    /// `connectionLost`.
    package func sever() { if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
}
