internal import PQClient

extension PostgresError {
    /// The remedy for an error of the server that has no more specific one.
    static let remedy = "Correct the cause that the server reports, and try again."

    /// Other objects depend on one that a statement drops.
    static let dependentObjects = "2BP01"

    /// Indicates whether the session ended, and not only a statement.
    ///
    /// The server then rolls back the open transaction.
    var isOfSession: Bool {
        code == .connectionLost || sqlState == SQLState.adminShutdown || sqlState == SQLState.crashShutdown
    }
}
