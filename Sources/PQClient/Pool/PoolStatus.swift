/// How busy a ``ConnectionPool`` is at one moment.
public struct PoolStatus: Hashable, Sendable {
    /// Connections that nobody uses.
    public let idle: Int
    /// Connections in use.
    public let leased: Int
    /// Connections being opened.
    public let opening: Int
    /// Callers that wait for a connection.
    public let waiting: Int
}
