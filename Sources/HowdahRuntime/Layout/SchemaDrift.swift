import HowdahModel
import PQClient

/// Explains other programs' changes of the tables in the model's terms, from the server's errors.
struct SchemaDrift {
    let layouts: StoreLayout

    /// Returns the fault and the remedy; nil if the error has another cause.
    ///
    /// The server sends neither table nor column with these errors, and its message is translated. So the
    /// message is searched for the names of columns. The statement is searched for those of tables.
    func message(for error: PostgresError) -> String? {
        guard let statement = error.statement else { return nil }
        let tables = layouts.schema.tables.filter {
            statement.contains(SQLIdentifier.quoted(layouts.schema.schemaName, $0.name))
        }
        switch error.sqlState {
        case SQLState.undefinedTable:
            return tables.first { error.message.names($0.name) }.map { table in
                "The table \(table.name)\(entities(of: table)) no longer exists: \(Self.remedy)"
            }
        case SQLState.undefinedColumn: return column(error, tables, "no longer exists")
        case Self.datatypeMismatch: return column(error, tables, "has another type than the store's model")
        default: return nil
        }
    }

    private static let datatypeMismatch = "42804"
    private static let remedy =
        "another program dropped, renamed or altered the table. Undo that change, or migrate the store and open it with the matching model."

    private func column(
        _ error: PostgresError, _ tables: [StoreSchema.Table], _ what: String
    ) -> String? {
        for table in tables {
            guard let column = table.columns.first(where: { error.message.names($0.name) }) else { continue }
            return
                "The column \(column.name) of the table \(table.name)\(properties(of: column, in: table)) \(what): "
                + Self.remedy
        }
        return nil
    }

    private func entities(of table: StoreSchema.Table) -> String {
        let names = layouts.entities.map(\.name).filter { layouts.schema.entities[$0]?.table == table.name }
        return names.isEmpty ? "" : " of \(names.sorted().joined(separator: ", "))"
    }

    private func properties(of column: StoreSchema.Column, in table: StoreSchema.Table) -> String {
        let quoted = SQLIdentifier.quoted(column.name)
        for layout in layouts.entities where layouts.schema.entities[layout.name]?.table == table.name {
            guard let position = layout.columns.firstIndex(where: { $0.name == quoted }),
                let slot = layout.slots.first(where: { $0.columns.contains(position) })
            else { continue }
            return ", which stores \(layout.name).\(slot.name),"
        }
        return entities(of: table)
    }
}

extension String {
    /// Returns true if a message contains a name, in quotes or after the name of a table.
    fileprivate func names(_ name: String) -> Bool {
        let marks = Set("\".'`«»“„”‘’「『")
        return ranges(of: name).contains { range in
            guard range.lowerBound > startIndex, marks.contains(self[index(before: range.lowerBound)]) else {
                return false
            }
            guard range.upperBound < endIndex else { return true }
            let next = self[range.upperBound]
            return !next.isLetter && !next.isNumber && next != "_" && next != "."
        }
    }
}
