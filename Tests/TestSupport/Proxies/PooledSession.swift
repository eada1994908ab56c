import Foundation
import Synchronization

/// A session of the server, and the client that has it at the moment.
final class PooledSession: Sendable {
    /// An answer that is due, in the order in which the client asked.
    private enum Due {
        /// The answer to a message that was passed on, by the message's type; Parse with the name it prepares.
        case answer(Character, name: String?)
        /// ParseComplete or CloseComplete for a message of the pooler's own, which the client is not told.
        case hidden(name: String?)
        /// An answer of the pooler's own.
        case own(WireMessage)
    }

    private struct State {
        var client: PoolerClient?
        var due: [Due] = []
        /// Indicates whether messages were passed on that no Sync has followed yet.
        var isOpen = false
        /// Indicates whether an error came before the client's Sync, up to which the server answers nothing.
        var isFailed = false
        /// The statements that the session has, the one used last at the end.
        var statements: [String] = []
        var isAlive = true
    }

    /// Messages of the server that describe a session, by parameter.
    let parameters: [String: [UInt8]]
    private let processAndSecret: [UInt8]
    private let pooler: TranslatingPooler
    private let state = Mutex(State())
    /// The socket, until it is closed. Locked while a client's thread writes.
    private let output: Mutex<Int32?>

    /// Connects and logs in.
    init(_ pooler: TranslatingPooler) throws {
        guard let descriptor = UnixStream.connect(to: pooler.server.socketPath) else {
            throw POSIXError(.ECONNREFUSED)
        }
        let startup =
            ["user", pooler.server.user, "database", pooler.server.database, "client_encoding", "UTF8"]
            .flatMap(WireMessage.text) + [0]
        UnixStream.write(
            WireMessage.integer(startup.count + 8) + WireMessage.integer(196_608) + startup, to: descriptor)
        var reader = WireReader(descriptor, isClient: false)
        var (parameters, key) = ([String: [UInt8]](), [UInt8]())
        while let message = reader.next(), message.type != "Z" {
            if message.type == "S" {
                var body = message.body
                parameters[WireMessage.takeText(&body)] = message.bytes
            }
            if message.type == "K" { key = Array(message.body) }
        }
        guard key.count == 8 else {
            UnixStream.close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        (self.pooler, self.parameters, processAndSecret) = (pooler, parameters, key)
        output = Mutex(descriptor)
        Thread.detachNewThread { [self, start = reader] in
            var reader = start
            while let message = reader.next() { receive(message) }
            lose(descriptor)
        }
    }

    /// Indicates whether the server has not ended it.
    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// Ends it.
    func end() { output.withLock { if let descriptor = $0 { UnixStream.shutDown(descriptor) } } }

    /// Gives the session to a client; false if it has ended.
    func link(to client: PoolerClient) -> Bool {
        state.withLock { state in
            guard state.isAlive else { return false }
            state.client = client
            return true
        }
    }

    /// Ends the session if a client leaves in the middle of something.
    func leave(_ client: PoolerClient) {
        let wasLinked = state.withLock { state in
            guard state.client === client else { return false }
            state.client = nil
            state.isAlive = false
            return true
        }
        guard wasLinked else { return }
        end()
        pooler.put(back: self)
    }

    /// Cancels what runs for a client, if the session is still the client's; returns when the server has done so.
    func cancel(for client: PoolerClient) {
        state.withLock { state in
            guard state.client === client, let descriptor = UnixStream.connect(to: pooler.server.socketPath)
            else { return }
            UnixStream.write(
                WireMessage.integer(16) + WireMessage.integer(80_877_102) + processAndSecret, to: descriptor)
            _ = UnixStream.read(descriptor)
            UnixStream.close(descriptor)
        }
    }

    // MARK: From the client

    /// Passes a client's message on, with a server's name in place of the client's.
    ///
    /// - Parameter statement: the statement that the message prepares, binds or describes by name.
    /// - Returns: false if the session is no longer the client's.
    func send(_ message: WireMessage, _ statement: StatementNames.Statement?, from client: PoolerClient)
        -> Bool
    {
        let bytes: [UInt8]? = state.withLock { state in
            guard state.client === client else { return nil }
            if state.isFailed, ["P", "B", "D", "E", "C"].contains(message.type) { return [] }
            state.isFailed = false
            var bytes: [UInt8] = []
            if let statement {
                let isKnown = state.statements.contains(statement.name)
                state.statements.removeAll { $0 == statement.name }
                if !isKnown {
                    if state.statements.count >= pooler.statementLimit {
                        let oldest = state.statements.removeFirst()
                        bytes += WireMessage("C", Array("S".utf8) + WireMessage.text(oldest)).bytes
                        state.due.append(.hidden(name: nil))
                    }
                    bytes += statement.parse.bytes
                    if message.type != "P" { state.due.append(.hidden(name: statement.name)) }
                }
                state.statements.append(statement.name)
                if message.type == "P" {
                    state.isOpen = true
                    if isKnown { Self.answer(WireMessage("1"), &state, client) }
                    if !isKnown { state.due.append(.answer("P", name: statement.name)) }
                    return bytes
                }
            }
            switch message.type {
            case "S", "Q", "F": state.isOpen = false
            case "P", "B", "D", "E", "C": state.isOpen = true
            default: return bytes + message.bytes
            }
            state.due.append(.answer(message.type, name: nil))
            return bytes + message.bytes
        }
        guard let bytes else { return false }
        if !bytes.isEmpty {
            output.withLock { if let descriptor = $0 { UnixStream.write(bytes, to: descriptor) } }
        }
        return true
    }

    /// Answers a client in place of the server, in its turn; false if the session is no longer the client's.
    func answer(_ message: WireMessage, to client: PoolerClient) -> Bool {
        state.withLock { state in
            guard state.client === client else { return false }
            if state.isFailed { return true }
            state.isOpen = true
            Self.answer(message, &state, client)
            return true
        }
    }

    private static func answer(_ message: WireMessage, _ state: inout State, _ client: PoolerClient) {
        if state.due.isEmpty { client.write(message.bytes) } else { state.due.append(.own(message)) }
    }

    // MARK: From the server

    private func receive(_ message: WireMessage) {
        let isFree = state.withLock { state in
            guard let client = state.client else { return false }
            guard message.type != "E" else {
                client.write(message.bytes)
                Self.drop(&state)
                return false
            }
            if !Self.settle(message.type, &state) { client.write(message.bytes) }
            while case .own(let answer)? = state.due.first {
                client.write(answer.bytes)
                state.due.removeFirst()
            }
            guard message.type == "Z", message.body.first == UInt8(ascii: "I"), state.due.isEmpty,
                !state.isOpen
            else { return false }
            state.client = nil
            return true
        }
        if isFree { pooler.put(back: self) }
    }

    /// Takes out the answer that a message completes; returns true if the client is not to see the message.
    private static func settle(_ type: Character, _ state: inout State) -> Bool {
        let isLast: Bool
        switch (state.due.first, type) {
        case (.hidden, "1"), (.hidden, "3"):
            state.due.removeFirst()
            return true
        case (.answer("P", _), "1"), (.answer("B", _), "2"), (.answer("C", _), "3"): isLast = true
        case (.answer("D", _), "T"), (.answer("D", _), "n"): isLast = true
        case (.answer("E", _), "C"), (.answer("E", _), "I"), (.answer("E", _), "s"): isLast = true
        case (.answer("S", _), "Z"), (.answer("Q", _), "Z"), (.answer("F", _), "Z"): isLast = true
        default: isLast = false
        }
        if isLast { state.due.removeFirst() }
        return false
    }

    /// After an error the server answers nothing more before Sync; what it did not prepare it does not have.
    private static func drop(_ state: inout State) {
        while let first = state.due.first {
            switch first {
            case .answer("S", _), .answer("Q", _), .answer("F", _): return
            case .answer(_, let name), .hidden(let name): state.statements.removeAll { $0 == name }
            case .own: break
            }
            state.due.removeFirst()
        }
        state.isFailed = true
    }

    private func lose(_ descriptor: Int32) {
        let client = state.withLock { state in
            defer { state.client = nil }
            state.isAlive = false
            return state.client
        }
        output.withLock { $0 = nil }
        UnixStream.close(descriptor)
        guard let client else { return }
        client.end()
        pooler.put(back: self)
    }
}
