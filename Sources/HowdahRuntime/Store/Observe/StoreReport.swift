/// The work of a container by call sites: its statements, the loads that cohorts made together, and the slow
/// statements.
///
/// It has texts of statements and names of the model, and no values of the database.
public struct StoreReport: Sendable, Equatable {
    /// The time for which the container collected.
    public internal(set) var duration: Duration = .zero
    /// The number of statements, with those that only control transactions.
    public internal(set) var statements = 0
    /// The number of round trips.
    public internal(set) var roundTrips = 0
    /// The time of all round trips.
    public internal(set) var statementTime: Duration = .zero
    /// The number of calls of `perform`.
    public internal(set) var unitsOfWork = 0
    /// The number of calls of `perform` that threw an error.
    public internal(set) var failedUnitsOfWork = 0
    /// The time for which they waited for a thread and a connection.
    public internal(set) var queueTime: Duration = .zero
    /// The number of saves.
    public internal(set) var saves = 0
    /// The number of saves that threw an error.
    public internal(set) var failedSaves = 0
    /// The number of objects with conflicts.
    public internal(set) var conflicts = 0
    /// The number of retries of saves and units of work.
    public internal(set) var retries = 0
    /// The number of cohort steps.
    public internal(set) var cohortSteps = 0
    /// The call sites, the one with the longest time first.
    public internal(set) var sites: [Site] = []
    /// The loads that a loop over objects would have made one by one, the most frequent first.
    public internal(set) var cohortLoads: [CohortLoad] = []
    /// The 500 slowest statements of different texts, the slowest first.
    public internal(set) var slowStatements: [SlowStatement] = []

    /// The statements of one call site.
    public struct Site: Sendable, Equatable {
        /// The name of all requests without a tag, and of saves.
        public static let untagged = "untagged"
        /// The name of all sites after the first 500.
        public static let others = "others"

        /// The label and the line of ``FetchRequest/tagged(_:file:line:)``.
        public let name: String
        /// The number of round trips.
        public internal(set) var roundTrips = 0
        /// The time of its round trips.
        public internal(set) var time: Duration = .zero
        /// The rows returned or affected.
        public internal(set) var rows = 0
        /// The number of cohort steps of its objects.
        public internal(set) var cohortSteps = 0
        /// The number of round trips that failed.
        public internal(set) var failures = 0

        init(name: String) { self.name = name }

        mutating func add(_ statement: StoreEvent.StatementReport) {
            roundTrips += 1
            time += statement.duration
            rows += statement.rows
            if statement.error != nil { failures += 1 }
        }
    }

    /// The loads of one relationship, or of the values of one entity.
    public struct CohortLoad: Sendable, Equatable {
        /// The entity and the relationship: `Department.employees`.
        public let name: String
        /// The number of cohort steps, which is the number of loads that were sent.
        public internal(set) var steps = 0
        /// The number of objects, which is the number of loads without cohorts.
        public internal(set) var objects = 0

        init(name: String) { self.name = name }

        mutating func add(_ step: StoreEvent.CohortStepReport) {
            steps += 1
            objects += step.count
        }
    }

    /// The slow round trips with one text.
    public struct SlowStatement: Sendable, Equatable {
        /// The text, without values; its first 4,000 bytes and an ellipsis if it is longer.
        public let text: String
        /// The number of slow round trips.
        public internal(set) var count = 0
        /// The time of the slowest.
        public internal(set) var longestTime: Duration = .zero

        init(text: String) { self.text = text }

        mutating func add(_ duration: Duration) {
            count += 1
            longestTime = max(longestTime, duration)
        }
    }
}
