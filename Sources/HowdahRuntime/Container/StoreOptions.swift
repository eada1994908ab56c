public import Logging

/// How a container uses its database; every value has a default that suits a server application.
public struct StoreOptions: Sendable {
    /// The PostgreSQL schema the store lives in; made where it is missing and the role may.
    public var schemaName = "public"
    /// Whether the tables are another program's, which the store reads and writes and never alters.
    ///
    /// Opening compares them with the model and makes nothing but the store's own record beside them. Keys come from
    /// their own sequences, and objects without a version column can only be read.
    public var existingTables = false
    /// The most connections, and the most threads on which bodies of `perform` run.
    public var maximumConnections = 8
    /// How long a unit of work waits for a connection, in the order of arrival.
    public var connectionWait: Duration = .seconds(30)
    /// How many rows one cohort step may bring before it is an error.
    public var cohortRowBudget = 1_000_000
    /// Where statements are logged, at debug level with duration and rows, and never with values.
    public var logger = Logger(label: "howdah")

    /// The defaults.
    public init() {}
}
