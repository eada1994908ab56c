/// A database of one test; drop it when the test is over.
public struct TemporaryDatabase: Sendable {
    /// The database's name.
    public let name: String
    /// The URL to open it with.
    public package(set) var url: String
    let server: EphemeralPostgres

    /// Drops the database, and ends its connections.
    public func drop() throws { try server.drop(name) }
}
