#if os(Linux)
import Foundation
import Testing

/// A client that sends a request and does not read its answer.
final class SlowReader: @unchecked Sendable {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    private let ports: (server: Int, own: Int)

    init(_ server: ServerProcess, path: String, token: String?) throws {
        var (size, length) = (Int32(4_096), socklen_t(MemoryLayout<sockaddr_in>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        ports = (server.port, Int(UInt16(bigEndian: address.sin_port)))
        try #require(status)
        let request = "GET \(path) HTTP/1.1\r\nHost: tracker\r\nAuthorization: Bearer \(token ?? "")\r\n\r\n"
        try #require(send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0)
    }

    deinit { close(descriptor) }

    /// Indicates whether the answer has begun.
    var hasAnswer: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    /// Indicates whether the server has its end of the connection open.
    var isConnected: Bool { get throws { try waiting != nil } }

    /// The number of bytes that the server's system holds for the client; nil if the server has no end of the connection.
    var waiting: Int? {
        get throws {
            func hexadecimal(_ port: Int) -> String { ":" + String(format: "%04X", port) }
            let established = "01"
            // In parts: the file has no size.
            let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
            for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields[1].hasSuffix(hexadecimal(ports.server)), fields[3] == established,
                    fields[2].hasSuffix(hexadecimal(ports.own))
                else { continue }
                return Int(fields[4].prefix { $0 != ":" }, radix: 16)
            }
            return nil
        }
    }

    /// Reads all that is on the way until the end, and returns the body.
    func body() -> Data {
        var (answer, part) = (Data(), [UInt8](repeating: 0, count: 65_536))
        while case let count = recv(descriptor, &part, part.count, 0), count > 0 { answer += part[..<count] }
        return Self.joined(chunksOf: answer)
    }

    private static func joined(chunksOf answer: Data) -> Data {
        let end = Data("\r\n".utf8)
        guard let head = answer.firstRange(of: end + end) else { return Data() }
        var (body, place) = (Data(), head.upperBound)
        while let line = answer[place...].firstRange(of: end),
            let count = Int(String(decoding: answer[place..<line.lowerBound], as: UTF8.self), radix: 16)
        {
            body += answer[line.upperBound...].prefix(count)
            place = min(line.upperBound + count + end.count, answer.endIndex)
        }
        return body
    }
}
#endif
