import HowdahModel
import PQClient

/// Finds the object of an error that names only a row, by the numbers in the server's DETAIL.
extension SaveFailure {
    /// Returns the object of the row that breaks a CHECK or lacks a value. The row begins with its key.
    func failingObject(_ error: PostgresError, _ changes: ChangeSet, _ keys: NewKeys?) -> ManagedObject? {
        guard let table = error.table.flatMap(layouts.schema.table(named:)) else { return nil }
        if table.existing?.keyIsFirst == false {
            let written = (changes.inserted + changes.updated.map(\.object)).filter {
                layouts.schema.entities[$0.layout.name]?.table == table.name
            }
            return written.count == 1 ? written[0] : nil
        }
        guard let key = error.detail?.firstNumber(after: "(") else { return nil }
        return object(with: key, inTable: table.name, changes, keys)
    }

    /// Returns the error for a deleted object to which rows refer that delete rules do not cover.
    ///
    /// These are rows of other programs' tables, or new ones.
    func stillNeeded(_ error: PostgresError, _ changes: ChangeSet) -> SaveError? {
        guard let key = error.detail?.firstNumber(after: ")=(") else { return nil }
        let table = error.table.flatMap(layouts.schema.table(named:))
        let reference = table?.foreignKeys.first { $0.name == error.constraint }
        let gone = changes.deleted.filter { object in
            object.key == key
                && (reference == nil
                    || layouts.schema.entities[object.layout.name]?.table == reference?.referencedTable)
        }
        guard gone.count == 1, table == nil || reference != nil else { return nil }
        let place =
            reference.map { "\($0.origin.entity).\($0.origin.properties.joined(separator: ", "))" }
            ?? "the table \(error.table ?? "") of another program"
        let issue = ValidationIssue(
            gone[0], nil, ValidationIssue.generic,
            "is deleted by this save, and rows of \(place) still refer to it. Change or delete these rows first. If "
                + "another session inserted these rows meanwhile, save again.")
        return SaveError(
            .referentialIntegrity,
            "Other rows still refer to an object that the save deletes. Change or delete these rows first.",
            issues: [issue],
            databaseError: error)
    }

    /// Returns the object that refers to a missing row.
    func referrer(_ error: PostgresError, _ changes: ChangeSet, _ keys: NewKeys?) -> ManagedObject? {
        guard let table = error.table.flatMap(layouts.schema.table(named:)),
            let reference = table.foreignKeys.first(where: { $0.name == error.constraint }),
            let key = error.detail?.firstNumber(after: ")=(")
        else { return nil }
        let names = Set(reference.columns.map(SQLIdentifier.quoted))
        return (changes.inserted + changes.updated.map(\.object)).first { object in
            guard layouts.schema.entities[object.layout.name]?.table == table.name else { return false }
            return object.layout.relationshipSlots.contains { slot in
                let field = object._toOneField(at: slot)
                return field.entity >= 0 && field.key == key
                    && object.layout.slots[slot].columns.contains {
                        names.contains(object.layout.columns[$0].name)
                    }
            }
        }
    }

    private func object(
        with key: Int64, inTable table: String, _ changes: ChangeSet, _ keys: NewKeys?
    ) -> ManagedObject? {
        (changes.inserted + changes.updated.map(\.object)).first { object in
            (keys?[object] ?? object.key) == key
                && layouts.schema.entities[object.layout.name]?.table == table
        }
    }
}

extension String {
    /// Returns the integer directly after the first occurrence of a mark.
    func firstNumber(after mark: String) -> Int64? {
        guard let range = firstRange(of: mark) else { return nil }
        return Int64(self[range.upperBound...].prefix { $0.isNumber || $0 == "-" })
    }
}
