import Foundation
import PQClient
import Synchronization

/// Stands between a container and its server, knows where messages begin, and breaks one connection at a chosen one.
final class CuttingProxy: Sendable {
    enum Direction: CaseIterable { case toServer, toClient }

    enum Way: CaseIterable {
        /// Both ends notice.
        case bothEnds
        /// The client notices; the server's end stays open, and what was not yet passed on comes late.
        case clientOnly
    }

    /// Where the next connection that is used breaks: before this message is passed on.
    private struct Plan {
        let direction: Direction
        let message: Int
        let way: Way
        var victim: Int?
        var passed = 0
        var hasCut = false
    }

    private struct Late {
        let server: Int32
        var bytes: [UInt8]
    }

    private struct State {
        var plan: Plan?
        var late: [Late] = []
        var isRefusing = false
        var links = 0
    }

    /// What to connect to instead of the server.
    let conninfo: String
    private let folder: URL
    private let upstream: String
    private let listener: Int32
    private let state = Mutex(State())

    init(_ url: String) throws {
        let configuration = try ConnectionConfiguration(url)
        let port = configuration["port"] ?? "5432"
        upstream = "\(configuration["host"] ?? "")/.s.PGSQL.\(port)"
        folder = FileManager.default.temporaryDirectory.appending(
            path: "cut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let host = folder.path(percentEncoded: false)
        conninfo =
            "host=\(host) port=\(port) dbname=\(configuration["dbname"] ?? "") user=\(configuration["user"] ?? "")"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.withAddress(host + "/.s.PGSQL.\(port)") { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread.detachNewThread { [self] in serve() }
    }

    /// Breaks the connection that is used next, before the message of that number, from 0.
    func arm(_ direction: Direction, _ message: Int, _ way: Way) {
        state.withLock { $0.plan = Plan(direction: direction, message: message, way: way) }
    }

    /// Ends the plan; whether a connection was broken.
    func disarm() -> Bool {
        state.withLock { state in
            defer { state.plan = nil }
            return state.plan?.hasCut ?? false
        }
    }

    /// Whether new connections end at once.
    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// Passes on what was kept from the server, and ends those connections.
    func deliver() {
        state.withLock { state in
            for one in state.late {
                Self.write(one.bytes, to: one.server)
                shutdown(one.server, Int32(SHUT_WR))
            }
            state.late = []
        }
    }

    func stop() {
        deliver()
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Connections

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isRefused = state.withLock { $0.isRefusing }
            guard !isRefused, Self.withAddress(upstream, { connect(server, $0, $1) }) == 0 else {
                close(client)
                close(server)
                continue
            }
            let number = state.withLock { state in
                state.links += 1
                return state.links
            }
            let link = Link(number: number, client: client, server: server)
            for direction in Direction.allCases {
                Thread.detachNewThread { [self] in
                    pump(link, direction)
                    if link.isEnded() {
                        state.withLock { $0.late.removeAll { $0.server == server } }
                        close(client)
                        close(server)
                    }
                }
            }
        }
    }

    /// Two sockets and the two threads between them.
    private final class Link: Sendable {
        let number: Int
        let client: Int32
        let server: Int32
        private let ended = Mutex(0)

        init(number: Int, client: Int32, server: Int32) {
            (self.number, self.client, self.server) = (number, client, server)
        }

        /// Whether this was the second of the two to end.
        func isEnded() -> Bool {
            ended.withLock { ended in
                ended += 1
                return ended == 2
            }
        }
    }

    private func pump(_ link: Link, _ direction: Direction) {
        let (source, destination) =
            direction == .toServer ? (link.client, link.server) : (link.server, link.client)
        var buffer: [UInt8] = []
        var isFirst = direction == .toServer
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &chunk, chunk.count, 0)
            if count <= 0 { break }
            buffer += chunk[..<count]
            while let length = Self.length(buffer, isFirst), length <= buffer.count {
                guard passes(link, direction, isFirst: isFirst) else {
                    return cut(link, direction, rest: buffer)
                }
                Self.write(Array(buffer[..<length]), to: destination)
                buffer.removeFirst(length)
                isFirst = false
            }
        }
        // The server's end outlives a client that was cut off.
        if direction == .toServer, state.withLock({ $0.late.contains { $0.server == link.server } }) {
            return
        }
        shutdown(destination, Int32(SHUT_RDWR))
    }

    /// The length of the first message; nil where that is not known yet.
    private static func length(_ buffer: [UInt8], _ isFirst: Bool) -> Int? {
        let start = isFirst ? 0 : 1
        guard buffer.count >= start + 4 else { return nil }
        return start + buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private func passes(_ link: Link, _ direction: Direction, isFirst: Bool) -> Bool {
        state.withLock { state in
            guard var plan = state.plan, !plan.hasCut, !isFirst else { return true }
            if plan.victim == nil, direction == .toServer { plan.victim = link.number }
            guard plan.victim == link.number else { return true }
            defer { state.plan = plan }
            guard plan.direction == direction else { return true }
            guard plan.passed == plan.message else {
                plan.passed += 1
                return true
            }
            plan.hasCut = true
            if plan.way == .clientOnly { state.late.append(Late(server: link.server, bytes: [])) }
            return false
        }
    }

    private func cut(_ link: Link, _ direction: Direction, rest: [UInt8]) {
        let isLate = state.withLock { state in
            guard let place = state.late.firstIndex(where: { $0.server == link.server }) else { return false }
            if direction == .toServer { state.late[place].bytes = rest }
            return true
        }
        shutdown(link.client, Int32(SHUT_RDWR))
        if !isLate { shutdown(link.server, Int32(SHUT_RDWR)) }
        // The server must not wait for somebody to read its answers.
        var chunk = [UInt8](repeating: 0, count: 1 << 12)
        if direction == .toClient { while recv(link.server, &chunk, chunk.count, 0) > 0 {} }
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            start += count
        }
    }

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
