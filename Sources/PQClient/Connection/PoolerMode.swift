/// A kind of pooler between a client and its server.
public struct PoolerMode: Hashable, Sendable, CustomStringConvertible {
    /// The name of the mode.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// Whatever is found when a connection opens; one round trip, or behind a pooler two.
    ///
    /// Without a pooler, all is as with ``session``. Behind one that gives prepared statements names of its own, as
    /// PgBouncer 1.21 and newer with `max_prepared_statements`, statements are prepared. Behind any other one it is as with
    /// ``transaction``, also if the pooler is in session mode.
    public static let detected = PoolerMode("detected")
    /// The server itself, or a pooler in session mode: each connection has a session of its own.
    public static let session = PoolerMode("session")
    /// A pooler that gives each transaction another session: statements are not prepared, and nothing that belongs to a
    /// session is used.
    public static let transaction = PoolerMode("transaction")
}

/// A pooler's treatment of its clients' statements.
enum Pooling {
    /// There is none, or each client has a session of its own.
    case none
    /// The names of prepared statements go through to sessions that other clients use too.
    case passing
    /// Each session has the prepared statements of all clients under names of the pooler's.
    case translating
}
