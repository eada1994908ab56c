import HowdahModel
import PQClient

/// Converts the server's errors of a batch request to errors of saves, with the number of the row if it is
/// known.
struct BatchFailure {
    /// The state `cardinality_violation`: a statement meets a row twice.
    private static let metTwice = "21000"

    private let layouts: StoreLayout
    private let failed: SaveStatement?
    private let upsert: BatchUpsert.Statement?

    /// - Parameters:
    ///   - failed: The statement that the server refused, if it is known.
    ///   - upsert: The statement's rows, if they met others.
    init(_ layouts: StoreLayout, failed: SaveStatement? = nil, among upsert: BatchUpsert.Statement? = nil) {
        self.layouts = layouts
        self.failed = failed
        self.upsert = upsert
    }

    /// - Parameters:
    ///   - layout: The entity of inserted rows.
    ///   - isDeletion: Indicates whether the batch deletes rows.
    ///   - row: Returns the row that an error of the server concerns.
    func error(
        _ error: any Error, inserting layout: EntityLayout? = nil, isDeletion: Bool = false,
        row: (PostgresError) -> Int?
    ) -> any Error {
        guard let error = error as? PostgresError, !error.mayHaveCommitted else { return error }
        if error.sqlState == Self.metTwice {
            return SaveError(
                .uniqueness,
                "Two rows of the batch have equal values of a uniqueness constraint. If the constraint ignores "
                    + "case, values that differ only in case are equal. Remove one of the two rows.",
                databaseError: error)
        }
        if error.sqlState == SQLState.notNullViolation, let found = layoutOfDiscriminator(error) {
            return numbered(
                SaveError(
                    .uniqueness,
                    "A row of the batch has the unique values of a stored object of another entity. Give the "
                        + "row other unique values.",
                    issues: [
                        ValidationIssue(
                            nil, (layout ?? found).name, upsert?.uniqueProperties ?? [],
                            ValidationIssue.uniqueness,
                            "has the unique values of an object of another entity. Use other unique values.")
                    ], databaseError: error), row(error))
        }
        if isDeletion, let refusal = BatchDeletionRefusal(error, failed?.need).error { return refusal }
        let none = ChangeSet()
        let translated = SaveFailure(layouts).error(error, none, failed: failed)
        guard var refusal = translated as? SaveError else { return translated }
        if refusal.code == .referentialIntegrity { explain(&refusal, isDeletion) }
        if let layout { refusal.issues = refusal.issues.map { $0.naming(layout, in: layouts) } }
        if refusal.code == .validation, refusal.issues.isEmpty, let layout,
            let property = error.copiedProperty(of: layout, in: layouts)
        {
            refusal.issues = [
                ValidationIssue(
                    nil, layout.name, property, ValidationIssue.generic,
                    "has a value that does not fit its column. Give it another value, or alter the column in SQL."
                )
            ]
        }
        if refusal.code == .validation, refusal.issues.isEmpty, error.sqlState?.hasPrefix("22") == true,
            let upsert
        {
            refusal.issues = upsert.refusedValues
        }
        return refusal.issues.contains { $0.row != nil } ? refusal : numbered(refusal, row(error))
    }

    /// Returns the error of an update, whose server error names the row itself.
    ///
    /// - Parameter computed: The properties that the server computes, one of which caused the error.
    func error(_ error: any Error, updating layout: EntityLayout, computed: [String]) -> any Error {
        let key = (error as? PostgresError)?.detail?.firstNumber(after: "(")
        guard var translated = self.error(error, row: { _ in nil }) as? SaveError else {
            return self.error(error, row: { _ in nil })
        }
        if translated.code == .validation, translated.issues.isEmpty, !computed.isEmpty,
            (error as? PostgresError)?.sqlState == SQLState.numericValueOutOfRange
        {
            let columns = computed.count == 1 ? "its column" : "one of their columns"
            translated.issues = [
                ValidationIssue(
                    nil, layout.name, computed, ValidationIssue.generic,
                    "would exceed the range of \(columns) in a row. Exclude such rows with the predicate, or limit the "
                        + "computed value with TERNARY in an .expression.")
            ]
            return translated
        }
        translated.issues = translated.issues.map { $0.naming(layout, in: layouts) }
        guard let key, layout.table.existing == nil, translated.code == .validation else { return translated }
        translated.issues = translated.issues.map { issue in
            let id = ObjectID<ManagedObject>(
                storeIdentifier: layout.storeIdentifier, entityName: layout.storedName, key: key)
            return ValidationIssue(id, issue.entityName, issue.properties, issue.code, issue.message)
        }
        return translated
    }

    /// Describes broken references in the words of a batch, which saves no objects.
    private func explain(_ error: inout SaveError, _ isDeletion: Bool) {
        if isDeletion {
            error.message =
                "Objects that the batch does not delete refer to its rows. Nothing was deleted. Delete these "
                + "objects first, or set their relationships to other objects."
        }
        let sentence =
            isDeletion
            ? "refers to an object that the batch deletes. Delete this object first, or set another object."
            : "refers to an object that does not exist. Set another object, and execute the request again."
        error.issues = error.issues.map { issue in
            var changed = ValidationIssue(
                issue.objectID, issue.entityName, issue.properties, issue.code, sentence,
                underlyingError: issue.underlyingError)
            changed.row = issue.row
            return changed
        }
    }

    private func numbered(_ error: SaveError, _ row: Int?) -> SaveError {
        guard let row else { return error }
        var error = error
        for index in error.issues.indices { error.issues[index].row = row }
        return error
    }

    private func layoutOfDiscriminator(_ error: PostgresError) -> EntityLayout? {
        guard let column = error.column.map(SQLIdentifier.quoted) else { return nil }
        return layouts.entities.first {
            $0.discriminator == column && layouts.schema.entities[$0.name]?.table == error.table
        }
    }
}

extension ValidationIssue {
    /// Returns the issue of a request's entity if it names the superentity that declares the constraint.
    fileprivate func naming(_ layout: EntityLayout, in layouts: StoreLayout) -> ValidationIssue {
        guard entityName != layout.name,
            layouts.layout(named: entityName)?.family.contains(layout.index) == true
        else { return self }
        var issue = ValidationIssue(
            objectID, layout.name, properties, code, message, underlyingError: underlyingError)
        issue.row = row
        return issue
    }
}

extension PostgresError {
    /// Returns the property whose column a COPY was reading.
    fileprivate func copiedProperty(of layout: EntityLayout, in layouts: StoreLayout) -> String? {
        guard let place = copiedPlace(of: layout, in: layouts) else { return nil }
        // The words around the column's name are in the server's language.
        let parts = place.prefix { $0 != "\n" }.split(separator: ",", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let found = layout.slots.filter { slot in
            slot.columns.contains { position in
                let name = layout.columns[position].name.dropFirst().dropLast().replacing("\"\"", with: "\"")
                return parts[1].hasSuffix(" \(name)")
            }
        }
        return found.count == 1 ? found[0].name : nil
    }
}
