import HowdahSchema
import PQClient

extension PostgresError {
    /// The fault and the remedy, if the store's history was started or removed while the store was open; nil for
    /// other errors.
    var historyComplaint: String? {
        if constraint == HistoryTables.guardConstraint {
            return
                "The history of the store was started after this program opened the store, so that its changes would be "
                + "missing from the history. Nothing was saved. Restart the program."
        }
        // The server sends no field with the name, and its message is translated. Names are not.
        if sqlState == SQLState.undefinedTable, message.contains(HistoryTables.sequenceName) {
            return
                "The sequence \(HistoryTables.sequenceName) of the store's history is missing. Nothing was saved. Run howdah "
                + "history enable as the owner of the store, which creates it again."
        }
        if sqlState == SQLState.undefinedTable, message.contains(HistoryTables.prefix) {
            return
                "The history of the store was removed after this program opened the store. Nothing was saved. Restart "
                + "the program."
        }
        return nil
    }
}
