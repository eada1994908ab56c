/// Asks a server, in its own protocol, whether it takes sessions yet.
enum ServerProbe {
    /// Whether a session as the superuser was accepted. A listening socket is not enough: while the server
    /// recovers it listens and refuses.
    static func isReady(socket path: String, user: String) -> Bool {
        answer(of: path, user) == UInt8(ascii: "R")
    }

    /// Indicates whether the server runs and is not about to end: it accepts a session, or has too many.
    ///
    /// A connection is not enough: a process that is being killed takes some for a moment.
    static func answers(socket path: String, user: String) -> Bool {
        var text: [UInt8] = []
        guard let answer = answer(of: path, user, text: &text) else { return false }
        return answer == UInt8(ascii: "R") || String(decoding: text, as: UTF8.self).contains("C53300\0")
    }

    private static func answer(of path: String, _ user: String) -> UInt8? {
        var text: [UInt8] = []
        return answer(of: path, user, text: &text)
    }

    /// Returns the type of the first message, and the rest of it if it is an error.
    private static func answer(of path: String, _ user: String, text: inout [UInt8]) -> UInt8? {
        guard let connection = UnixSocket.connection(to: path) else { return nil }
        defer { connection.close() }
        let pairs = ["user", user, "database", "postgres"]
        let body: [UInt8] = Array(pairs.map { $0 + "\0" }.joined().utf8) + [0]
        let version: UInt32 = 3 << 16
        guard connection.send(bytes(UInt32(body.count + 8)) + bytes(version) + body),
            let type = connection.receive(1).first
        else { return nil }
        if type == UInt8(ascii: "E") {
            text = connection.receive(1_000)
        } else {
            connection.send([UInt8(ascii: "X")] + bytes(4 as UInt32))
        }
        return type
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
