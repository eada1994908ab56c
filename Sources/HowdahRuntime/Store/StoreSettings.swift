package import Foundation

/// The defaults of all contexts of one store.
package struct StoreSettings: Sendable {
    /// The number of threads and of connections.
    var maximumConnections: Int
    /// The time that a unit of work waits for a connection.
    var connectionWait: Duration
    /// The number of units of work that may wait for a place.
    var maximumWaitingUnits: Int
    /// The time limit of a statement in a unit of work without a timeout.
    var statementTimeout: Duration?
    /// The maximum number of rows that one cohort step may return.
    var cohortRowLimit: Int
    /// The maximum idle time of the source or the client of a stream; nil for no limit.
    var streamIdleTimeout: Duration?
    /// The directory of the temporary files of streams; nil for the system's.
    package var temporaryDirectory: URL?
    /// Indicates whether saves and batches are refused.
    var isReadOnly = false
    /// The time between two looks for changes of other programs.
    var changePolling: Duration = .milliseconds(100)
    /// The time that running work has to finish when the container is closed.
    var drainingTime: Duration
}
