internal import HowdahModel
internal import PQClient

extension StoreMigration {
    /// Returns the plan that creates the store.
    ///
    /// - Throws: `MigrationError` with `notAStore` if tables of another program have the names of the model's tables.
    package func creation() throws -> MigrationPlan {
        try checkTables()
        var parameters = Parameters()
        try parameters.append(schemaName)
        let found = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", parameters, cached: false)
        return try MigrationPlan(
            creating: target, schemaName: schemaName, includingSchema: found.rowCount == 0)
    }

    /// Checks that no table of the schema has a name that the store needs.
    ///
    /// - Throws: `MigrationError` with `notAStore`; `PostgresError`.
    package func checkTables() throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        let present = try connection.query(
            "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                + "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind <> 'i'", parameters,
            cached: false
        ).map { $0[0].string() }
        let needed = try StoreSchema(target, schemaName: schemaName).tables.map(\.name)
        let taken = Set(present).intersection(needed).sorted()
        guard let first = taken.first else { return }
        let list =
            taken.count > 3 ? "\(first) and \(taken.count - 1) more" : taken.joined(separator: ", ")
        throw MigrationError(
            .notAStore,
            "The schema '\(schemaName)' has no store, but tables with names that the model needs: \(list). If they belong to "
                + "another program, set --schema to another or a new schema. If they match the model, run "
                + "howdah migrate baseline to make a store of these tables.")
    }
}
