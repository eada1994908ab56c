/// The answer of ``PersistentContainer/ready(within:)``, for a readiness probe.
public enum Readiness: Sendable, Hashable, CustomStringConvertible {
    /// The database answers, and the store has a model that the program can use.
    case ready
    /// The container is closed or about to be.
    case draining
    /// The database did not answer in time or refused; the text says why.
    case unreachable(String)
    /// The store was migrated to a model that the program cannot use, or was replaced; the text says why.
    ///
    /// The container does not become ready again.
    case otherModel(String)

    /// A Boolean value that indicates whether requests can be served.
    public var isReady: Bool { self == .ready }

    /// The state, with the reason. It names hosts and models, and never values.
    public var description: String {
        switch self {
        case .ready: "ready"
        case .draining: "draining"
        case .unreachable(let reason): "unreachable: \(reason)"
        case .otherModel(let reason): "other model: \(reason)"
        }
    }
}
