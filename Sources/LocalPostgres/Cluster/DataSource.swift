/// The origin of a new cluster's data.
enum DataSource: Sendable {
    /// A fresh cluster, made by `initdb`.
    case initdb
    /// A base backup of a running server, given by its `conninfo`; a standby receives the server's later
    /// changes too.
    case backup(conninfo: String, isStandby: Bool)

    /// The words for the watchdog: the server to copy, and `standby` for a standby.
    var arguments: [String] {
        switch self {
        case .initdb: ["", ""]
        case .backup(let conninfo, let isStandby): [conninfo, isStandby ? "standby" : ""]
        }
    }
}
