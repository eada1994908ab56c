/// How contexts of one store behave where the caller does not say otherwise.
struct StoreSettings: Sendable {
    /// How long a unit of work waits for a connection.
    var connectionWait: Duration
    /// How many rows one cohort step may bring.
    var cohortRowBudget: Int
}
