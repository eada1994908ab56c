package import Foundation

/// How contexts of one store behave where the caller does not say otherwise.
package struct StoreSettings: Sendable {
    /// The number of threads and of connections.
    var maximumConnections: Int
    /// How long a unit of work waits for a connection.
    var connectionWait: Duration
    /// The number of units of work that may wait for a place.
    var maximumWaitingUnits: Int
    /// The time that a statement may take in a unit of work without a timeout.
    var statementTimeout: Duration?
    /// How many rows one cohort step may bring.
    var cohortRowBudget: Int
    /// The longest time in which the source or the client of a stream may do nothing; nil for no limit.
    var streamIdleTimeout: Duration?
    /// The directory of the temporary files of streams; nil for the system's.
    package var temporaryDirectory: URL?
}
