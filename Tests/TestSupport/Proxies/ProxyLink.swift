import Synchronization

#if canImport(Darwin)
import Darwin
private let sending = SHUT_WR
#elseif canImport(Glibc)
import Glibc
private let sending = Int32(SHUT_WR)
#elseif canImport(Musl)
import Musl
private let sending = SHUT_WR
#endif

/// Two sockets and the two threads between them.
final class ProxyLink: Sendable {
    let number: Int
    let client: Int32
    let server: Int32
    private let ended = Mutex(0)

    init(number: Int, client: Int32, server: Int32) {
        (self.number, self.client, self.server) = (number, client, server)
    }

    /// Counts a thread that has ended; true if it was the second of the two.
    func isEnded() -> Bool {
        ended.withLock { ended in
            ended += 1
            return ended == 2
        }
    }

    /// Ends both connections, unless they are closed by now.
    func end() {
        ended.withLock { ended in
            guard ended < 2 else { return }
            UnixStream.shutDown(client)
            UnixStream.shutDown(server)
        }
    }

    /// Closes both sockets, which no thread uses any more.
    func close() {
        UnixStream.close(client)
        UnixStream.close(server)
    }

    /// Lets the other end see the end of the stream; receiving goes on.
    static func endSending(_ descriptor: Int32) { _ = shutdown(descriptor, sending) }
}
