/// An error for a server that did not do what a test asked for in time.
public struct ReplicationError: Error, CustomStringConvertible {
    /// The missing event, with the end of the server's log.
    public let description: String

    init(_ description: String) { self.description = description }
}
