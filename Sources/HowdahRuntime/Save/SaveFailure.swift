import Foundation
import HowdahModel
import PQClient

/// Turns what the server says into the error of a save: constraints become the entities and properties that
/// they stand for.
struct SaveFailure {
    let layouts: StoreLayout

    init(_ layouts: StoreLayout) { self.layouts = layouts }

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
            return constraint(
                error, .uniqueness, ValidationIssue.uniqueness, "Another object has the same value",
                "has a value that another object has already", offender: offender(error, changes))
        case SQLState.foreignKeyViolation:
            return constraint(
                error, .referentialIntegrity, ValidationIssue.generic,
                "A relationship would lead to a row that is not there",
                "leads to or is needed by another object")
        case SQLState.notNullViolation, SQLState.checkViolation:
            return constraint(
                error, .validation, ValidationIssue.generic, "The store refused a value",
                "has a value that the model does not allow")
        default:
            if error.sqlState == Self.indexRowTooLong { return tooLong(error, changes) }
            if error.code == .invalidValue {
                return SaveError(.validation, "A value cannot be stored: \(error.message)", underlying: error)
            }
            if error.sqlState?.hasPrefix("22") == true {
                return SaveError(.validation, "A value does not fit its column", underlying: error)
            }
            return SaveError(
                .database, "The database did not accept the save; nothing was stored", underlying: error)
        }
    }

    private func constraint(
        _ error: PostgresError, _ code: SaveError.Code, _ number: Int, _ message: String, _ sentence: String,
        offender: ManagedObject? = nil
    ) -> SaveError {
        guard let origin = origin(of: error) else { return SaveError(code, "\(message).", underlying: error) }
        let properties = origin.properties.isEmpty ? [nil] : origin.properties.map(Optional.some)
        let issues = properties.map {
            ValidationIssue(offender?.objectID, origin.entity, $0, number, sentence)
        }
        return SaveError(code, "\(message).", issues: issues, underlying: error)
    }

    func origin(of error: PostgresError) -> (entity: String, properties: [String])? {
        guard let table = error.table.flatMap(layouts.schema.table(named:)) else { return nil }
        // NOT NULL has no name of its own.
        if error.constraint == nil, let column = error.column { return origin(ofColumn: column, in: table) }
        guard let name = error.constraint else { return nil }
        let origin =
            table.uniques.first { $0.name == name }?.origin ?? table.foreignKeys.first { $0.name == name }?
            .origin
            ?? table.checks.first { $0.name == name }?.origin
            ?? table.indexes.first { $0.name == name }?.origin
        return origin.map { ($0.entity, $0.properties) }
    }

    private func origin(ofColumn column: String, in table: StoreSchema.Table) -> (String, [String])? {
        let quoted = SQLIdentifier.quoted(column)
        for layout in layouts.entities where layouts.schema.entities[layout.name]?.table == table.name {
            guard let position = layout.columns.firstIndex(where: { $0.name == quoted }),
                let slot = layout.slots.first(where: { $0.columns.contains(position) })
            else { continue }
            return (layout.name, [slot.name])
        }
        return nil
    }

    /// The object whose value the server's DETAIL quotes; found by comparing, so that the value goes nowhere.
    private func offender(_ error: PostgresError, _ changes: ChangeSet) -> ManagedObject? {
        guard let detail = error.detail, let table = error.table.flatMap(layouts.schema.table(named:)),
            let unique = table.uniques.first(where: { $0.name == error.constraint }),
            unique.columns.count == 1
        else { return nil }
        return (changes.inserted + changes.updated.map(\.object)).first { object in
            guard layouts.schema.entities[object.layout.name]?.table == table.name,
                let column = UniqueColumn.columns(unique, in: object.layout)?.first
            else { return false }
            let held = column.held(column.present(in: object))
            if unique.hasDigest {
                return held.indexDigest.map { detail.contains(")=(\($0))") } ?? false
            }
            switch held {
            case .string(let text): return detail.contains(")=(\(text))")
            case .int(let number): return detail.contains(")=(\(number))")
            case .uuid(let uuid): return detail.contains(")=(\(uuid.uuidString.lowercased()))")
            case .uri(let url): return detail.contains(")=(\(url.absoluteString))")
            default: return false
            }
        }
    }
}
