import HowdahModel
import HowdahSchema
import PQClient

/// The differences of the tables from the model that a read-only session can find.
struct TableDrift: Sendable {
    let differences: [String]

    /// Reads the catalogue and compares columns, types, constraints and indexes.
    init(of schema: StoreSchema, on connection: Connection) throws {
        let database = try DatabaseSchema(named: schema.schemaName, on: connection)
        var differences = ExistingTables(schema, in: database).differences
        for table in schema.tables {
            guard let found = database.tables.first(where: { $0.name == table.name }) else { continue }
            let names = Set(found.indexes.map(\.name) + found.constraints.map(\.name))
            let wanted =
                table.indexes.map(\.name) + table.uniques.map(\.name) + table.foreignKeys.map(\.name)
                + table.checks.map(\.name)
            if table.existing != nil { continue }
            for name in wanted where !names.contains(name) {
                differences.append(
                    "The table \(table.name) has no index or constraint \(name). Run howdah migrate verify.")
            }
        }
        self.differences = differences
    }
}
