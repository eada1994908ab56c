import HowdahModel
import PQClient

/// Turns what the server says into the error of a save: constraints become the entities and properties that
/// they stand for.
struct SaveFailure {
    private let schema: StoreSchema

    init(_ schema: StoreSchema) { self.schema = schema }

    func error(_ error: any Error, _ changes: ChangeSet) -> any Error {
        guard let error = error as? PostgresError else {
            if let error = error as? FetchError, error.code == .invalidValue {
                return SaveError(.validation, error.message)
            }
            return error
        }
        if error.mayHaveCommitted {
            return SaveError(
                .outcomeUnknown,
                "The connection broke while the save was being committed; fetch the objects to see whether it was.",
                underlying: error)
        }
        switch error.sqlState {
        case SQLState.uniqueViolation:
            return constraint(error, .uniqueness, ValidationIssue.uniqueness, "Another object has the same value",
                "has a value that another object has already")
        case SQLState.foreignKeyViolation:
            return constraint(error, .referentialIntegrity, ValidationIssue.generic,
                "A relationship would lead to a row that is not there", "leads to or is needed by another object")
        case SQLState.notNullViolation, SQLState.checkViolation:
            return constraint(error, .validation, ValidationIssue.generic, "The store refused a value",
                "has a value that the model does not allow")
        default:
            if error.code == .invalidValue {
                return SaveError(.validation, "A value cannot be stored: \(error.message)", underlying: error)
            }
            if error.sqlState?.hasPrefix("22") == true {
                return SaveError(.validation, "A value does not fit its column", underlying: error)
            }
            return SaveError(.database, "The database did not accept the save; nothing was stored", underlying: error)
        }
    }

    private func constraint(
        _ error: PostgresError, _ code: SaveError.Code, _ number: Int, _ message: String, _ sentence: String
    ) -> SaveError {
        guard let origin = origin(of: error) else { return SaveError(code, "\(message).", underlying: error) }
        let properties = origin.properties.isEmpty ? [nil] : origin.properties.map(Optional.some)
        let issues = properties.map { ValidationIssue(nil, origin.entity, $0, number, sentence) }
        return SaveError(code, "\(message).", issues: issues, underlying: error)
    }

    private func origin(of error: PostgresError) -> StoreSchema.Origin? {
        guard let table = error.table.flatMap(schema.table(named:)) else { return nil }
        guard let name = error.constraint else { return nil }
        return table.uniques.first { $0.name == name }?.origin ?? table.foreignKeys.first { $0.name == name }?.origin
            ?? table.checks.first { $0.name == name }?.origin
    }
}
