internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Why the server refused rows that a step writes: a rule of the tables, often of another program.
struct RuleRefusal {
    /// What the server refused, without the detail, which has values of rows.
    let error: PostgresError
    /// The layouts before and after the migration.
    let schemas: [StoreSchema]

    /// - Returns: Nil if the error is about something else.
    init?(_ error: PostgresError, _ schemas: [StoreSchema]) {
        guard let state = error.sqlState, Self.states.contains(state) else { return nil }
        self.error = error.withoutDetail
        self.schemas = schemas
    }

    private static let states = MigrationStep.refusalsOfRows.union([tooLong])
    /// A value does not fit an index.
    private static let tooLong = "54000"

    /// What happened, the state of the store, and what to do.
    ///
    /// - Parameter aftermath: the state of the store, as a sentence without its end.
    func message(_ aftermath: String) -> String {
        guard let name = error.constraint ?? error.column, let table = error.table else {
            let (fault, remedy) =
                error.sqlState == Self.tooLong
                ? ("A value is too long", "Shorten the value")
                : ("The server refused a row", "Change the row")
            return "\(fault): \(error.message). \(aftermath). \(remedy) in the store or in an earlier stage."
        }
        let place = "table \"\(table)\"\(entity(of: table).map { " (entity \($0))" } ?? "")"
        let isForeign = !isKnown(name, table)
        let subject = "The \(kind) \"\(name)\" of \(place)\(isForeign ? ", which is not in the model," : "")"
        let predicate =
            switch error.sqlState {
            case Self.tooLong: "cannot have a value that long"
            case SQLState.notNullViolation: "requires a value"
            default: "does not allow rows of this step"
            }
        let remedy =
            isForeign
            ? "Change or drop the \(kind), or change the rows in the store or in an earlier stage."
            : "Change the rows in the store or in an earlier stage."
        return "\(subject) \(predicate). \(aftermath). \(remedy)"
    }

    private var kind: String {
        switch error.sqlState {
        case SQLState.notNullViolation: "column"
        case SQLState.checkViolation: "check constraint"
        case SQLState.foreignKeyViolation: "foreign key"
        case SQLState.uniqueViolation: "unique constraint"
        case SQLState.exclusionViolation: "exclusion constraint"
        default: "index"
        }
    }

    private func tables(_ name: String) -> [StoreSchema.Table] {
        guard error.schema == nil || schemas.contains(where: { $0.schemaName == error.schema }) else {
            return []
        }
        return schemas.compactMap { $0.table(named: name) }
    }

    /// The topmost entity whose objects are in a table.
    private func entity(of table: String) -> String? {
        guard !tables(table).isEmpty else { return nil }
        return schemas.reversed().lazy.compactMap { schema in
            schema.entities.values.first { $0.table == table }?.rootEntity
        }.first
    }

    /// Indicates whether the rule is one of the model, or one that the migration makes for a while.
    private func isKnown(_ name: String, _ table: String) -> Bool {
        if name.hasPrefix("_howdah_") { return true }
        return tables(table).contains { table in
            var names = Set(table.columns.map(\.name))
            names.insert(table.primaryKeyName)
            names.formUnion(table.checks.map(\.name))
            names.formUnion(table.uniques.map(\.name))
            names.formUnion(table.indexes.map(\.name))
            names.formUnion(table.foreignKeys.map(\.name))
            return names.contains(name)
        }
    }
}

extension PostgresError {
    /// The same without what may have values of rows.
    var withoutDetail: PostgresError {
        var error = self
        (error.detail, error.context) = (nil, nil)
        return error
    }
}
