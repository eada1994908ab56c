import HowdahSchema

/// The state of a store's history, for the monitoring of a program.
///
/// `PersistentContainer.historyStatus()` reads it. `howdah history status --json` prints the same measures.
public struct HistoryStatus: Hashable, Sendable {
    /// A step of turning on the history.
    public struct Phase: Hashable, Sendable, CustomStringConvertible {
        /// The name of the phase, as the command prints it.
        public let description: String

        /// Programs write history, and it does not count yet.
        public static let enabled = Phase(description: "enabled")
        /// The history counts, and statements that write no history are refused.
        public static let guarded = Phase(description: "guarded")
        /// The history counts, and statements are not checked.
        public static let trusted = Phase(description: "trusted")
    }

    /// A registered consumer.
    public struct Consumer: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The time since it acknowledged changes.
        public let age: Duration
        /// A Boolean value that indicates whether there are changes that it has not read.
        public let isBehind: Bool
        /// The time since the oldest change was stored that it has not read; zero if it has read all.
        public let lag: Duration
        /// The number of history transactions that it has not read, estimated from their numbers.
        public let unread: Int
        /// A Boolean value that indicates whether its position is of a server that left no trace, so that it
        /// cannot continue.
        public let isLost: Bool
    }

    /// The step of turning on the history.
    public let phase: Phase
    /// The size on disk, in bytes.
    public let bytes: Int
    /// The time since the oldest change was stored; nil if there is none.
    public let oldestAge: Duration?
    /// The time since a program last kept the history.
    public let heartbeatAge: Duration
    /// The time that changes are kept for.
    public let retention: Duration
    /// The registered consumers, the one that acknowledged changes least recently first.
    public let consumers: [Consumer]

    init(_ measures: HistoryMeasures) {
        phase = Phase(description: measures.phase)
        bytes = Int(measures.bytes)
        oldestAge = measures.oldestAge.map { .seconds($0) }
        heartbeatAge = .seconds(measures.heartbeatAge)
        retention = .seconds(measures.retention)
        consumers = measures.consumers.map {
            Consumer(
                name: $0.name, age: .seconds($0.age), isBehind: $0.isBehind, lag: .seconds($0.lag),
                unread: Int($0.unread), isLost: $0.isLost)
        }
    }
}
