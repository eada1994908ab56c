import HowdahModel
import HowdahSchema
import PQClient

/// The upkeep of the history, by the functions of the store's owner.
struct HistoryKeeping {
    private let tables: HistoryTables

    init(_ store: Store) { tables = HistoryTables(in: store.layouts.schema.schemaName) }

    /// Writes a heartbeat, if the last one is not young.
    ///
    /// - Returns: False if another process did.
    func beat(on connection: Connection) throws -> Bool { try call(.heartbeat, on: connection) }

    /// Rotates and purges the slots.
    func maintain(on connection: Connection) throws {
        _ = try call(.rotate, on: connection)
        try purge(on: connection)
    }

    /// Truncates the slots of which all rows are old and read.
    func purge(on connection: Connection) throws {
        for slot in 0..<HistoryTables.slots {
            _ = try call(.purge, "\(slot)::pg_catalog.int2", on: connection)
        }
    }

    private func call(
        _ function: HistoryTables.Function, _ arguments: String = "", on connection: Connection
    ) throws -> Bool {
        let statement = "\(HistoryStatements.mark)SELECT \(tables.name(of: function))(\(arguments))"
        return try HistoryError.explaining {
            try connection.query(statement, about: StatementSubject(.select)).first { $0[0].isTrue } ?? false
        }
    }
}
