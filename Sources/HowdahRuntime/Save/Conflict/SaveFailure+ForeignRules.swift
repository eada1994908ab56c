import HowdahModel
import PQClient

/// Errors of constraints that another program added to the store's tables.
extension SaveFailure {
    /// Returns an issue for each property of such a constraint. For constraints of the model, it is nil.
    func foreignIssues(_ error: PostgresError, _ number: Int, _ offender: ManagedObject?)
        -> [ValidationIssue]?
    {
        guard let constraint = error.constraint, origin(of: error) == nil,
            let table = error.table.flatMap(layouts.schema.table(named:)), table.existing == nil
        else { return nil }
        let origins = columns(of: constraint, on: table).compactMap { origin(ofColumn: $0, in: table) }
        let sentence =
            "is refused by a constraint that is not in the model: \(constraint) of the table \(table.name). Use "
            + "another value, add the rule to the model, or drop the constraint."
        let entity =
            offender?.layout.name ?? origins.first?.0
            ?? layouts.entities.first { layouts.schema.entities[$0.name]?.table == table.name }?.name
        guard let entity else { return nil }
        let properties = origins.flatMap { $0.1 }
        if properties.isEmpty {
            return [ValidationIssue(offender?.objectID, entity, nil, number, sentence)]
        }
        return properties.map { ValidationIssue(offender?.objectID, entity, $0, number, sentence) }
    }

    /// Returns the error of a new object whose id another row has. For other constraints, it is nil.
    func takenKey(_ error: PostgresError) -> SaveError? {
        guard let constraint = error.constraint, origin(of: error) == nil,
            let table = error.table.flatMap(layouts.schema.table(named:)),
            let layout = layouts.entities.first(where: {
                layouts.schema.entities[$0.name]?.table == table.name
            }),
            columns(of: constraint, on: table).map(SQLIdentifier.quoted) == [layout.table.key.name]
        else { return nil }
        let sequence =
            table.existing == nil ? layouts.schema.idSequence : layout.table.existing?.keySequence
        return SaveError(
            .uniqueness,
            "A new object got an id that a row of the table \(table.name) has already. Nothing was saved. "
                + "Rows have ids that the sequence \(sequence ?? "of the table") did not assign. Set the "
                + "sequence to the greatest id with the statement that howdah migrate doctor prints, and "
                + "save again.",
            databaseError: error)
    }

    /// Returns the columns of a constraint, which the server does not send. If it cannot be queried, there
    /// are none.
    private func columns(of constraint: String, on table: StoreSchema.Table) -> [String] {
        guard let connection, connection.isUsable else { return [] }
        var parameters = Parameters()
        let name = SQLIdentifier.quoted(layouts.schema.schemaName, table.name)
        guard (try? parameters.append(constraint)) != nil, (try? parameters.append(name)) != nil else {
            return []
        }
        let result = try? connection.query(
            "SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_attribute a "
                + "ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey) "
                + "WHERE c.conname = $1 AND c.conrelid = pg_catalog.to_regclass($2) ORDER BY a.attnum",
            parameters, cached: false, about: StatementSubject(.select))
        return result?.map { $0[0].string() } ?? []
    }
}
