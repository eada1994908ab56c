import Synchronization

/// Numbers prepared statements by text and parameter types.
final class StatementNames: Sendable {
    /// A statement as the server knows it.
    struct Statement: Sendable {
        /// Its name on every server session.
        let name: String
        /// The text and the parameter types, as Parse has them.
        let definition: [UInt8]

        /// The message that prepares it.
        var parse: WireMessage { WireMessage("P", WireMessage.text(name) + definition) }
    }

    private let statements = Mutex<[[UInt8]: Statement]>([:])

    /// The number of different statements.
    var count: Int { statements.withLock { $0.count } }

    /// The statement of a text and its parameter types.
    func statement(_ definition: [UInt8]) -> Statement {
        statements.withLock { statements in
            if let known = statements[definition] { return known }
            let new = Statement(name: "PGBOUNCER_\(statements.count + 1)", definition: definition)
            statements[definition] = new
            return new
        }
    }
}
