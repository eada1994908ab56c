package import HowdahSchema

extension StoreEvent {
    /// One migration.
    public struct MigrationReport: Sendable {
        /// The kinds of migrations.
        public enum Work: String, Sendable {
            /// The stages to the program's model, when a store is opened.
            case stages
            /// Remaining steps of a deferred migration.
            case deferredSteps
        }

        /// The kind.
        public let work: Work
        /// The number of stages that ran; 0 if an error ended them, or for remaining steps.
        public let stageCount: Int
        /// The time of the whole migration, with its waits for locks.
        public let duration: Duration
        /// The error that ended the migration; nil if it succeeded.
        public let error: (any Error)?
        /// The name of the error's code; nil if it has none.
        package let code: String?
    }

    /// The state of a store's history, as `PersistentContainer.historyStatus()` has it.
    public struct HistoryReport: Sendable {
        /// A registered consumer.
        public struct Consumer: Sendable {
            /// The name.
            public let name: String
            /// The time since the oldest change was stored that it has not read; zero if it has read all.
            public let lag: Duration
            /// The time since it acknowledged changes.
            public let age: Duration
        }

        /// The registered consumers.
        public let consumers: [Consumer]
        /// The size on disk, in bytes.
        public let bytes: Int
        /// The time since a program last kept the history.
        public let heartbeatAge: Duration

        package init(_ measures: HistoryMeasures) {
            consumers = measures.consumers.map {
                Consumer(name: $0.name, lag: .seconds($0.lag), age: .seconds($0.age))
            }
            bytes = Int(measures.bytes)
            heartbeatAge = .seconds(measures.heartbeatAge)
        }
    }
}
