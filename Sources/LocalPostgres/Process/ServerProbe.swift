/// Asks a server, in its own protocol, whether it takes sessions yet.
enum ServerProbe {
    /// Whether a session as the superuser was accepted. A listening socket is not enough: while the server
    /// recovers it listens and refuses.
    static func isReady(socket path: String, user: String) -> Bool {
        guard let connection = UnixSocket.connection(to: path) else { return false }
        defer { connection.close() }
        let pairs = ["user", user, "database", "postgres"]
        let body: [UInt8] = Array(pairs.map { $0 + "\0" }.joined().utf8) + [0]
        let version: UInt32 = 3 << 16
        guard connection.send(bytes(UInt32(body.count + 8)) + bytes(version) + body) else { return false }
        let isAccepted = connection.receive(1) == [UInt8(ascii: "R")]
        connection.send([UInt8(ascii: "X")] + bytes(4 as UInt32))
        return isAccepted
    }

    /// Whether a process takes connections at the socket, as the server does until it ends.
    static func listens(socket path: String) -> Bool {
        guard let connection = UnixSocket.connection(to: path) else { return false }
        connection.close()
        return true
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
