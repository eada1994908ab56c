#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connected stream socket that never raises SIGPIPE and is not inherited by other children.
struct UnixSocket: Sendable {
    let descriptor: Int32

    /// The room for a path in a socket address, with its closing NUL.
    static let pathCapacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private init(taking descriptor: Int32) throws(LocalPostgresError) {
        self.descriptor = try SystemCall.raised(descriptor)
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = setsockopt(
            self.descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Two connected ends: one to keep, one for a child.
    static func pair() throws(LocalPostgresError) -> (ours: UnixSocket, child: UnixSocket) {
        var ends: [Int32] = [-1, -1]
        try SystemCall.check("Cannot create a socket pair") { socketpair(AF_UNIX, Self.type, 0, &ends) }
        let ours: UnixSocket
        do {
            ours = try UnixSocket(taking: ends[0])
        } catch {
            _ = Self.close(ends[1])
            throw error
        }
        do {
            return (ours, try UnixSocket(taking: ends[1]))
        } catch {
            ours.close()
            throw error
        }
    }

    /// A connection to the socket at the path, or nil where nobody listens; reads and writes give up after a
    /// second.
    static func connection(to path: String) -> UnixSocket? {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < pathCapacity else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let raw = socket(AF_UNIX, Self.type, 0)
        guard raw >= 0, let result = try? UnixSocket(taking: raw) else { return nil }
        var second = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = setsockopt(
                result.descriptor, SOL_SOCKET, option, &second, socklen_t(MemoryLayout<timeval>.size))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(result.descriptor, $0, size) }
        }
        guard code == 0 else {
            result.close()
            return nil
        }
        return result
    }

    /// Sends the bytes; false when the other end has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Self.send(descriptor, bytes, bytes.count, Self.sendFlags) == bytes.count
    }

    /// The next bytes, at most `limit`; empty at the end of the stream or on a failure.
    func receive(_ limit: Int = 4096) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: limit)
        while true {
            let count = read(descriptor, &block, limit)
            if count >= 0 { return Array(block[..<count]) }
            if errno != EINTR { return [] }
        }
    }

    /// Blocks until there is something to receive (the end of the stream included), at most until the deadline.
    func waitForInput(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&request, 1, Int32(min(max(left.rounded(.up), 0), 60_000))) > 0 { return true }
            if ContinuousClock.now >= deadline { return false }
        }
    }

    /// Blocks until everyone who has the other end has closed it, at most until the deadline.
    func waitForEnd(until deadline: ContinuousClock.Instant) -> Bool {
        while waitForInput(until: deadline) {
            if receive().isEmpty { return true }
        }
        return false
    }

    /// Lets the other end see the end of the stream; receiving goes on.
    func endSending() { _ = shutdown(descriptor, Self.writing) }

    func close() { _ = Self.close(descriptor) }
}

extension UnixSocket {
    #if canImport(Darwin)
    private static let close = Darwin.close
    private static let send = Darwin.send
    private static let type = SOCK_STREAM
    private static let sendFlags: Int32 = 0
    private static let writing = SHUT_WR
    #elseif canImport(Glibc)
    private static let close = Glibc.close
    private static let send = Glibc.send
    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    private static let writing = Int32(SHUT_WR)
    #elseif canImport(Musl)
    private static let close = Musl.close
    private static let send = Musl.send
    private static let type = SOCK_STREAM | SOCK_CLOEXEC
    private static let sendFlags = MSG_NOSIGNAL
    private static let writing = SHUT_WR
    #endif
}
