import Foundation
import Synchronization

/// A client of a ``TranslatingPooler``, on a thread of its own.
final class PoolerClient: Sendable {
    /// The parameters that a client may send first; PgBouncer refuses others.
    private static let parameters: Set = [
        "user", "database", "application_name", "client_encoding", "DateStyle", "TimeZone",
        "standard_conforming_strings",
    ]

    /// The process number and the secret that the client is told.
    let key = UInt64.random(in: 1...UInt64.max) & 0x7FFF_FFFF_FFFF_FFFF
    private let descriptor: Int32
    private let pooler: TranslatingPooler
    /// The server session it has; other threads look at it to cancel.
    private let session = Mutex<PooledSession?>(nil)
    private let isOpen = Mutex(true)

    init(_ descriptor: Int32, _ pooler: TranslatingPooler) {
        (self.descriptor, self.pooler) = (descriptor, pooler)
    }

    /// Serves the client until it leaves.
    func run() {
        var reader = WireReader(descriptor, isClient: true)
        if greet(&reader) {
            serve(&reader)
            session.withLock { $0 }?.leave(self)
            pooler.remove(self)
        }
        isOpen.withLock { $0 = false }
        UnixStream.close(descriptor)
    }

    /// Sends bytes; for the thread that has the turn.
    func write(_ bytes: [UInt8]) { UnixStream.write(bytes, to: descriptor) }

    /// Ends the connection.
    func end() { isOpen.withLock { if $0 { UnixStream.shutDown(descriptor) } } }

    /// Cancels what runs for the client.
    func cancel() { session.withLock { $0 }?.cancel(for: self) }

    // MARK: Connecting

    private func greet(_ reader: inout WireReader) -> Bool {
        while let first = reader.next() {
            var body = first.body
            switch WireMessage.integer(body) {
            case 80_877_103, 80_877_104:
                // Neither TLS nor GSSAPI.
                write(Array("N".utf8))
                reader.expectFirstAgain()
                continue
            case 80_877_102:
                pooler.cancel(body.dropFirst(4).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
                return false
            case 196_608: break
            default: return false
            }
            body = body.dropFirst(4)
            while body.count > 1 {
                let (name, value) = (WireMessage.takeText(&body), WireMessage.takeText(&body))
                if !Self.parameters.contains(name) { return refuse("unsupported startup parameter: \(name)") }
                if name == "database", value != pooler.server.database {
                    return refuse("no such database: \(value)")
                }
            }
            guard pooler.add(self) else { return refuse("no more connections allowed (max_client_conn)") }
            let secret = WireMessage.integer(Int(key >> 32)) + WireMessage.integer(Int(key & 0xFFFF_FFFF))
            write(
                WireMessage("R", [0, 0, 0, 0]).bytes + pooler.greeting + WireMessage("K", secret).bytes
                    + WireMessage("Z", Array("I".utf8)).bytes)
            return true
        }
        return false
    }

    private func refuse(_ reason: String) -> Bool {
        write(WireMessage.fatal(reason).bytes)
        return false
    }

    // MARK: Statements

    private func serve(_ reader: inout WireReader) {
        var statements: [String: StatementNames.Statement] = [:]
        while let message = reader.next(), message.type != "X" {
            var body = message.body
            switch message.type {
            case "P":
                let name = WireMessage.takeText(&body)
                guard !name.isEmpty else { break }
                let statement = pooler.names.statement(Array(body))
                statements[name] = statement
                guard pass(message, statement) else { return }
                continue
            case "B":
                let portal = WireMessage.takeText(&body)
                let name = WireMessage.takeText(&body)
                guard !name.isEmpty else { break }
                guard let statement = statements[name] else { return missing(name) }
                let renamed = WireMessage.text(portal) + WireMessage.text(statement.name) + body
                guard pass(WireMessage("B", renamed), statement) else { return }
                continue
            case "D", "C":
                let isStatement = body.popFirst() == UInt8(ascii: "S")
                let name = WireMessage.takeText(&body)
                guard isStatement, !name.isEmpty else { break }
                if message.type == "C" {
                    statements[name] = nil
                    guard withSession({ $0.answer(WireMessage("3"), to: self) }) else { return }
                    continue
                }
                guard let statement = statements[name] else { return missing(name) }
                let renamed = Array("S".utf8) + WireMessage.text(statement.name)
                guard pass(WireMessage("D", renamed), statement) else { return }
                continue
            default: break
            }
            guard pass(message, nil) else { return }
        }
    }

    private func missing(_ name: String) {
        _ = refuse("prepared statement did not exist")
    }

    private func pass(_ message: WireMessage, _ statement: StatementNames.Statement?) -> Bool {
        withSession { $0.send(message, statement, from: self) }
    }

    /// Runs `body` with the client's session, or with another one if it returns false because that session went back.
    private func withSession(_ body: (PooledSession) -> Bool) -> Bool {
        if let session = session.withLock({ $0 }), body(session) { return true }
        while let next = try? pooler.session() {
            session.withLock { $0 = next }
            if next.link(to: self) { return body(next) }
            pooler.put(back: next)
        }
        return refuse("query_wait_timeout")
    }
}
