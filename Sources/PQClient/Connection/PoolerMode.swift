/// A kind of pooler between a client and its server.
public struct PoolerMode: Hashable, Sendable, CustomStringConvertible {
    /// The name of the mode.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The mode that a connection detects when it opens; one round trip, or two with a pooler.
    ///
    /// Without a pooler, it is as ``session``. Some poolers give prepared statements their own names, such as
    /// PgBouncer 1.21 and newer with `max_prepared_statements`. With these, statements are prepared. With any
    /// other pooler it is as ``transaction``, even if the pooler is in session mode.
    public static let detected = PoolerMode("detected")
    /// The server itself, or a pooler in session mode: each connection has a separate session.
    public static let session = PoolerMode("session")
    /// A pooler that gives each transaction another session.
    ///
    /// Statements are not prepared, and no features of sessions are used.
    public static let transaction = PoolerMode("transaction")
}

/// A pooler's treatment of its clients' statements.
enum Pooling {
    /// Without a pooler, or with a separate session for each client.
    case none
    /// The names of prepared statements are passed to sessions that other clients use too.
    case passing
    /// Each session has the prepared statements of all clients under the pooler's names.
    case translating
}
