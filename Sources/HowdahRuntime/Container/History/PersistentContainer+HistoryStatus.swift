import HowdahModel
import HowdahSchema
import PQClient

extension PersistentContainer {
    /// Returns the state of the history for your monitoring: its size, its age and its consumers; one round
    /// trip.
    ///
    /// - Throws: ``HistoryError`` with `noHistory` or `database`; the errors of `perform` if it could not
    ///   begin.
    nonisolated(nonsending)
        public func historyStatus() async throws -> HistoryStatus
    {
        try await perform { context in
            let schemaName = context.store.layouts.schema.schemaName
            return try context.withHistory {
                HistoryStatus(try HistoryMeasures(in: schemaName, on: $0))
            }
        }
    }
}
