import HowdahRuntime
import PQClient

/// The properties of an entity that the role may read, if it has rights on some columns of the table only.
enum ReadableColumns {
    /// Returns those of several properties whose columns the role may read; one statement.
    static func of(
        _ names: [String], _ entity: String, _ session: BrowseReader.Session
    ) throws -> [String] {
        guard let layout = session.context.store.layouts.layout(named: entity) else { return [] }
        var parameters = Parameters()
        try parameters.append("\(layout.table)")
        let columns = try session.connection.query(
            """
            SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute a \
            WHERE a.attrelid = $1::pg_catalog.text::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped \
            AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
            """, parameters, cached: false
        ).map { $0[0].string() }
        let readable = Set(columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" })
        return names.filter { name in
            guard let slot = layout.slotsByName[name] else { return false }
            return layout.slots[slot].columns.allSatisfy { readable.contains(layout.columns[$0].name) }
        }
    }
}
