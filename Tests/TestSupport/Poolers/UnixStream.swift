import Foundation

#if canImport(Darwin)
import Darwin
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
private let bothWays = SHUT_RDWR
private let closeDescriptor = Darwin.close
#elseif canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
private let bothWays = Int32(SHUT_RDWR)
private let closeDescriptor = Glibc.close
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM | SOCK_CLOEXEC
private let sendFlags = MSG_NOSIGNAL
private let bothWays = SHUT_RDWR
private let closeDescriptor = Musl.close
#endif

/// Blocking Unix sockets by their descriptors, for proxies.
enum UnixStream {
    /// Connects to a socket; nil if nobody listens.
    static func connect(to path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, streamType, 0)
        guard descriptor >= 0 else { return nil }
        guard withAddress(path, { systemConnect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Listens on a socket, which is made.
    static func listen(on path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, streamType, 0)
        guard descriptor >= 0, withAddress(path, { systemBind(descriptor, $0, $1) }) == 0,
            systemListen(descriptor, 256) == 0
        else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        return descriptor
    }

    /// Waits for the next client; nil once the socket was shut down.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = systemAccept(listener)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// Reads what has come, at most `limit` bytes; nil at the end of the stream.
    static func read(_ descriptor: Int32, limit: Int = 1 << 16) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, limit, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all bytes; false if the other end is gone.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, sendFlags)
            }
            if count <= 0 { return false }
            start += count
        }
        return true
    }

    /// Ends both directions, which wakes a thread that reads.
    static func shutDown(_ descriptor: Int32) { _ = shutdown(descriptor, bothWays) }

    /// Closes the descriptor, which no thread may be using.
    static func close(_ descriptor: Int32) { _ = closeDescriptor(descriptor) }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

// The functions of the same names in the type hide these.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t)
    -> Int32
{
    connect(descriptor, address, size)
}
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    bind(descriptor, address, size)
}
private func systemListen(_ descriptor: Int32, _ length: Int32) -> Int32 { listen(descriptor, length) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
