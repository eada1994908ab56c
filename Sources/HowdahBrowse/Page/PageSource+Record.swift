import HowdahModel
import HowdahRuntime
import PQClient

extension PageSource {
    /// Returns a line for the reader if the store was migrated or replaced; one statement, or none without a store.
    func recordWarning() async -> String? {
        guard hasRecord else { return nil }
        let mark = RecordMark.selection(in: container.store.layouts.schema.schemaName)
        // The page has another error to tell.
        let found = try? await reader.read { session in
            try session.connection.query("SELECT \(mark)", cached: false).map { row in
                row[0].isNull ? nil : RecordMark(row[0].string())
            }.first ?? nil
        }.value
        return found?.warning(container)
    }
}
