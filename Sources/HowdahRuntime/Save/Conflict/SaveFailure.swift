import Foundation
import HowdahModel
import PQClient

/// Converts the server's error to the error of a save: constraints become their entities and properties.
struct SaveFailure {
    let layouts: StoreLayout
    /// The connection for queries about constraints that the model does not have; nil if there is none.
    let connection: Connection?

    /// - Parameter connection: A connection that can run queries again.
    init(_ layouts: StoreLayout, asking connection: Connection? = nil) {
        self.layouts = layouts
        self.connection = connection
    }

    /// - Parameter failed: The statement that the server refused, if it is known.
    func error(
        _ error: any Error, _ changes: ChangeSet, failed: SaveStatement? = nil, keys: NewKeys? = nil
    ) -> any Error {
        guard let error = error as? PostgresError else {
            if let error = error as? FetchError, error.code == .invalidValue {
                return SaveError(
                    .validation, error.message, issues: issues(in: changes, of: \.refusal))
            }
            return error
        }
        switch error.sqlState {
        case SQLState.uniqueViolation:
            if let error = takenKey(error) { return error }
            return constraint(
                error, .uniqueness, ValidationIssue.uniqueness, "Another object has the same value",
                ValidationIssue.takenAlready, offender: offender(error, changes))
        case SQLState.foreignKeyViolation:
            if let error = stillNeeded(error, changes) { return error }
            let offender = referrer(error, changes, keys)
            return constraint(
                error, .referentialIntegrity, ValidationIssue.generic,
                "A relationship refers to a row that does not exist",
                offender == nil
                    ? "refers to an object that does not exist, or that this save deletes. Set another object, and "
                        + "save again."
                    : "refers to an object that is not in the store. Set another object, and save again.",
                offender: offender)
        case SQLState.notNullViolation, SQLState.checkViolation:
            let isMissing = error.sqlState == SQLState.notNullViolation
            return constraint(
                error, .validation, isMissing ? ValidationIssue.missingMandatory : ValidationIssue.generic,
                "A constraint of the database refused a value",
                isMissing
                    ? "is required and has no value. Give it a value."
                    : "has a value that a CHECK constraint of its table refuses. Give it another value.",
                offender: failingObject(error, changes, keys))
        default:
            if let message = error.historyComplaint {
                return SaveError(.database, message, databaseError: error)
            }
            if let message = SchemaDrift(layouts: layouts).message(for: error) {
                return SaveError(.schemaMismatch, message, databaseError: error)
            }
            if error.sqlState == Self.indexRowTooLong { return tooLong(error, changes) }
            if error.code == .invalidValue { return unstorable(error, changes) }
            if error.sqlState == SQLState.numericValueOutOfRange, let error = overflow(error, failed) {
                return error
            }
            if error.sqlState?.hasPrefix("22") == true { return unstorable(error, changes) }
            if error.sqlState == SQLState.lockNotAvailable { return locked(error, changes) }
            if let concurrencyFailure = error.concurrencyFailure {
                return SaveError(concurrencyFailure, databaseError: error)
            }
            if error.sqlState == SQLState.insufficientPrivilege, error.isOfPolicy {
                return SaveError(
                    .database,
                    "A row security policy of the table refused a row. Nothing was saved. Change the values that the "
                        + "policy checks, and save again.", databaseError: error)
            }
            if error.sqlState == SQLState.insufficientPrivilege {
                return SaveError(
                    .database,
                    "The role lacks a right that the save needs. Nothing was saved. Run howdah migrate doctor --role as the "
                        + "store's owner, and grant the rights that it lists.", databaseError: error)
            }
            if error.code == .cancelled {
                return SaveError(
                    .database,
                    "The save was cancelled, with its task or on the server. Nothing was saved. Save again if it is still "
                        + "needed.", databaseError: error)
            }
            if error.code == .connectionFailed {
                return SaveError(
                    .database,
                    "The database cannot be reached. Nothing was saved. Check that the server runs, and run the unit of work "
                        + "again.", databaseError: error)
            }
            if error.isOfSession {
                return SaveError(
                    .database,
                    "The connection was lost before the save was committed. Nothing was saved. Run the unit of work again.",
                    databaseError: error)
            }
            return SaveError(
                .database,
                "The database refused the save. Nothing was saved. Correct the cause that it names, and save again.",
                databaseError: error)
        }
    }

    private func locked(_ error: PostgresError, _ changes: ChangeSet) -> SaveError {
        let written = changes.inserted + changes.updated.map(\.object) + changes.guarded + changes.deleted
        let names = Set(written.map(\.layout.name)).sorted()
        let entities =
            names.count > 3
            ? " of \(names.count) entities" : names.isEmpty ? "" : " of \(names.joined(separator: ", "))"
        return SaveError(
            .locked,
            "Rows\(entities) are locked by another transaction, and lock_timeout expired. Nothing was saved. "
                + "Retry the save later.", databaseError: error)
    }

    private func constraint(
        _ error: PostgresError, _ code: SaveError.Code, _ number: Int, _ message: String, _ sentence: String,
        offender: ManagedObject? = nil
    ) -> SaveError {
        let heading = "\(message). Change the properties that the issues name, and retry."
        if let issues = foreignIssues(error, number, offender) {
            return SaveError(code, heading, issues: issues, databaseError: error)
        }
        guard var origin = origin(of: error) ?? offender.map({ ($0.layout.name, []) }) else {
            return SaveError(
                code,
                "\(message). Correct the object that violates the constraint in the cause, and "
                    + "save again.", databaseError: error)
        }
        // A constraint may be that of a superentity; an issue names the object's own entity.
        if let offender { origin.entity = offender.layout.name }
        if let name = foreignCheck(error) {
            // One rule, which no property alone has to meet.
            let sentence =
                "\(origin.properties.count > 1 ? "have values" : "has a value") that the constraint \(name) of its "
                + "table refuses. Give \(origin.properties.count > 1 ? "them other values" : "it another value")."
            let issue = ValidationIssue(
                offender?.objectID, origin.entity, origin.properties, number, sentence)
            return SaveError(code, heading, issues: [issue], databaseError: error)
        }
        // What is unique together is one rule; of other rules each property has its own.
        if code == .uniqueness {
            let issue = ValidationIssue(
                offender?.objectID, origin.entity, origin.properties, number,
                ValidationIssue.unique(origin.properties, sentence))
            return SaveError(code, heading, issues: [issue], databaseError: error)
        }
        let properties = origin.properties.isEmpty ? [nil] : origin.properties.map(Optional.some)
        let issues = properties.map {
            ValidationIssue(offender?.objectID, origin.entity, $0, number, sentence)
        }
        return SaveError(code, heading, issues: issues, databaseError: error)
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
        return origin.map { ($0.entity, $0.properties) } ?? foreignOrigin(ofConstraint: name, in: table)
    }

    /// Returns the name of a CHECK, or of a similar constraint, that another program created.
    private func foreignCheck(_ error: PostgresError) -> String? {
        guard error.sqlState == SQLState.checkViolation, let name = error.constraint,
            let existing = error.table.flatMap(layouts.schema.table(named:))?.existing
        else { return nil }
        return existing.constraints[name] == nil ? nil : name
    }

    /// Returns the entity and properties of a constraint that another program created.
    private func foreignOrigin(ofConstraint name: String, in table: StoreSchema.Table) -> (
        String, [String]
    )? {
        guard let columns = table.existing?.constraints[name] else { return nil }
        let origins = columns.compactMap { origin(ofColumn: $0, in: table) }
        var properties: [String] = []
        for property in origins.flatMap(\.1) where !properties.contains(property) {
            properties.append(property)
        }
        if let entity = origins.first?.0 { return (entity, properties) }
        return layouts.schema.entities.values.first {
            $0.table == table.name && $0.entityName == $0.rootEntity
        }
        .map { ($0.entityName, []) }
    }

    func origin(ofColumn column: String, in table: StoreSchema.Table) -> (String, [String])? {
        let quoted = SQLIdentifier.quoted(column)
        for layout in layouts.entities where layouts.schema.entities[layout.name]?.table == table.name {
            guard let position = layout.columns.firstIndex(where: { $0.name == quoted }),
                let slot = layout.slots.first(where: { $0.columns.contains(position) })
            else { continue }
            return (layout.name, [slot.name])
        }
        return nil
    }

    /// Returns the object whose values the server's DETAIL quotes. It compares them, so that they are not
    /// passed on.
    private func offender(_ error: PostgresError, _ changes: ChangeSet) -> ManagedObject? {
        guard let detail = error.detail, let table = error.table.flatMap(layouts.schema.table(named:)),
            let name = error.constraint,
            let unique = table.uniques.first(where: { $0.name == name })
                ?? table.existing?.constraints[name].map({
                    StoreSchema.Unique(name: name, columns: $0, origin: .init(table.name))
                })
        else { return nil }
        return (changes.inserted + changes.updated.map(\.object)).first { object in
            guard layouts.schema.entities[object.layout.name]?.table == table.name,
                let columns = UniqueColumn.columns(unique, in: object.layout)
            else { return false }
            let texts = zip(unique.columns, columns).compactMap { name, column in
                let value = column.held(column.present(in: object))
                return unique.holdsDigest(of: name)
                    ? value.indexDigest : object.layout.columns[column.position].padded(value.quotedText)
            }
            return texts.count == columns.count && detail.contains(")=(\(texts.joined(separator: ", ")))")
        }
    }
}

extension LayoutColumn {
    /// Returns the text with the blanks that a `char(n)` has up to its length.
    fileprivate func padded(_ text: String?) -> String? {
        guard let text, form?.reading == .text, case .characters(let length)? = limit else { return text }
        return text + String(repeating: " ", count: max(0, length - text.unicodeScalars.count))
    }
}

extension Value {
    /// The server's spelling of the value in the DETAIL of an error; nil for kinds that it writes
    /// differently.
    var quotedText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .bool(let flag): flag ? "t" : "f"
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .uri(let url): url.absoluteString
        default: nil
        }
    }
}
