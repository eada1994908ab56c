import HowdahModel
import PQClient

extension SaveFailure {
    /// The state `program_limit_exceeded`: an index entry holds at most about 2,700 bytes.
    static let indexRowTooLong = "54000"

    /// The minimum room in an entry of 2,704 bytes.
    private static let roomOfEntry = 2_600

    /// Returns the error for a value that a unique index cannot hold.
    ///
    /// For very long values the server does not report the index, so the values themselves are checked.
    func tooLong(_ error: PostgresError, _ changes: ChangeSet) -> SaveError {
        let message =
            "A value is too long for an index. Shorten the value, or change the index in the model."
        let remedy =
            "is too long to be unique. Shorten the value, or set \(MappingKey.digest) of the attribute to \"true\" "
            + "in the model."
        var issues: [ValidationIssue] = []
        for object in changes.inserted + changes.updated.map(\.object) {
            for name in Self.longProperties(of: object, layouts, index: error.constraint) {
                issues.append(ValidationIssue(object, name, ValidationIssue.generic, remedy))
            }
        }
        if issues.isEmpty {
            issues = self.issues(in: changes) { leaf in
                guard case .array(let elements) = leaf.value, isInIndex(leaf.column) else { return nil }
                return elements.firstIndex { $0.indexedBytes > Self.roomOfEntry }.map {
                    "has an element at position \($0) (from 0) that is too long for the array's fetch index, "
                        + "which permits about \(Self.roomOfEntry) bytes. Shorten the element, or remove the "
                        + "fetch index from the model."
                }
            }
        }
        if issues.isEmpty { issues = longInExpressions(changes, index: error.constraint) }
        if issues.isEmpty, let (index, _) = expressionIndexes(named: error.constraint).first,
            error.constraint != nil
        {
            issues = [
                ValidationIssue(
                    nil, index.origin.entity, index.origin.properties, ValidationIssue.generic,
                    Self.sentence(about: index))
            ]
        }
        if issues.isEmpty, let origin = origin(of: error) {
            let properties = origin.properties.isEmpty ? [nil] : origin.properties.map(Optional.some)
            issues = properties.map {
                ValidationIssue(
                    nil, origin.entity, $0, ValidationIssue.generic,
                    "is too long for an index. Shorten the value, or change the index in the model.")
            }
        }
        return SaveError(.validation, message, issues: issues, databaseError: error)
    }

    /// Returns the objects whose values are too long for an index over an expression, one issue each.
    private func longInExpressions(_ changes: ChangeSet, index name: String?) -> [ValidationIssue] {
        var issues: [ValidationIssue] = []
        for (index, family) in expressionIndexes(named: name) {
            for object in changes.inserted + changes.updated.map(\.object)
            where family.contains(object.layout.index) {
                let length = object.storedLeaves(nil).filter { index.origin.properties.contains($0.path) }
                    .map(\.value.indexedBytes).reduce(0, +)
                guard length > Self.roomOfEntry else { continue }
                issues.append(
                    ValidationIssue(
                        object.objectID, object.layout.name, index.origin.properties, ValidationIssue.generic,
                        Self.sentence(about: index)))
            }
        }
        return issues
    }

    /// Returns the indexes over expressions, with the positions of their entities.
    private func expressionIndexes(named name: String?) -> [(StoreSchema.Index, family: [Int])] {
        layouts.schema.tables.flatMap(\.indexes).filter {
            !$0.expressions.isEmpty && (name == nil || $0.name == name)
        }
        .map { ($0, layouts.layout(named: $0.origin.entity)?.family ?? []) }
    }

    private static func sentence(about index: StoreSchema.Index) -> String {
        "is too long for the fetch index \(index.origin.fetchIndex ?? index.name) over "
            + "\(index.expressions.joined(separator: ", ")). Shorten the value, or index only its beginning or a "
            + "digest, such as left(…, 500) or md5(…)."
    }

    /// Returns a Boolean value that indicates whether an index over the members of a column's arrays exists.
    private func isInIndex(_ column: LayoutColumn) -> Bool {
        layouts.schema.tables.contains { table in
            table.indexes.contains { index in
                index.method == .gin && index.columns.contains { SQLIdentifier.quoted($0) == column.name }
            }
        }
    }

    /// Returns the properties whose values together are too long for a unique index.
    private static func longProperties(
        of object: ManagedObject, _ layouts: StoreLayout, index: String?
    ) -> [String] {
        guard let name = layouts.schema.entities[object.layout.name]?.table,
            let table = layouts.schema.table(named: name)
        else { return [] }
        var names: [String] = []
        for unique in table.uniques where index == nil || unique.name == index {
            guard let columns = UniqueColumn.columns(unique, in: object.layout) else { continue }
            let lengths = zip(unique.columns, columns).map { name, column in
                unique.holdsDigest(of: name) ? 0 : column.held(column.present(in: object)).indexedBytes
            }
            guard lengths.reduce(0, +) > roomOfEntry, let longest = lengths.max() else { continue }
            for (length, column) in zip(lengths, columns) where length == longest {
                let name = object.layout.slots[column.slot].name
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }
}
