package import HowdahRuntime

extension StatementLog {
    /// The number of all recorded statements, and behind a pooler of those that read or write entity tables.
    ///
    /// There, each statement has a transaction around it, which checks the store.
    package var countBesidesPooler: Int { TestPooler.mode == .transaction ? count : events.count }
}
