internal import Foundation
internal import HowdahSchema
internal import PQClient

/// What migrations write to the history of a store: that everything may have changed.
enum MigrationHistory {
    /// Writes one row at the end of a transaction that changed rows; nothing in a store without history.
    ///
    /// Each of several transactions has its row. If only the last one had it, readers would miss the others while a
    /// migration is cut off.
    ///
    /// - Throws: `PostgresError`.
    static func note(in schemaName: String, on connection: Connection) throws {
        guard try HistoryRecord.exists(in: schemaName, on: connection) else { return }
        let tables = HistoryTables(in: schemaName)
        var parameters = Parameters()
        let information = ProcessInfo.processInfo
        try parameters.append(
            "\(information.processName) \(information.processIdentifier) \(information.hostName)")
        _ = try connection.query(
            "INSERT INTO \(tables.history) (slot, number, part, origin, entity, kind, ids, process) SELECT "
                + "\(tables.slotExpression), pg_catalog.nextval(\(SQLLiteral.string(tables.number))::pg_catalog.regclass), "
                + "0, 3, '', 1, '{}', $1", parameters, cached: false)
    }
}
