import HowdahSchema
import PQClient

extension StoreOpening {
    /// Returns the history that the program must write; nil if the store has none.
    func history(_ connection: Connection) throws -> StoreHistory? {
        if options.existingTables || options.isReadOnly { return nil }
        let tables = HistoryTables(in: options.schemaName)
        let found = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = \(SQLLiteral.string(options.schemaName)) AND c.relname = '_howdah_history'", cached: false)
        if found.rowCount == 0 { return nil }
        let marks = try connection.query(
            "SELECT c.slot IS NULL OR s.is_guarded OR s.is_tracked FROM \(tables.state) s CROSS JOIN \(tables.current) c",
            cached: false)
        return StoreHistory(tables, marksSaves: marks.scalar(\.bool) ?? true)
    }
}
