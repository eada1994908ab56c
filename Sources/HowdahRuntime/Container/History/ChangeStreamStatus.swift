/// The state of a container's look at the history, which all streams and followed results of the container share.
///
/// Show it to the people who operate the program. `PersistentContainer.changeStreamStatus` returns it.
public struct ChangeStreamStatus: Hashable, Sendable {
    /// The number of loops that follow the store, and of the contexts' merging as one.
    public let followers: Int
    /// The time since the history was last read; nil before the first one, and if nothing follows the store.
    public let timeSinceLastPoll: Duration?
    /// The error of the last look, with its remedy; nil if it succeeded. The look is repeated.
    public let failure: String?
    /// A Boolean value that indicates whether the container was closed.
    public let isClosed: Bool
}

extension PersistentContainer {
    /// The state of the look at the history, now.
    ///
    /// If the connection is lost, loops over changes wait, and the state has the reason.
    public var changeStreamStatus: ChangeStreamStatus { hub.status }
}
