import Foundation
import HowdahModel
import PQClient

/// Finds the values that cannot be stored, once it is known that there are some.
///
/// Nothing is checked before: this process or the server checks a value when it is written, but neither knows
/// its object.
extension SaveFailure {
    /// Returns the error for a value that has no counterpart in PostgreSQL.
    func unstorable(_ error: PostgresError, _ changes: ChangeSet) -> SaveError {
        let issues = issues(in: changes, of: { $0.refusal })
        guard issues.isEmpty else {
            return SaveError(
                .validation,
                "\(issues.count == 1 ? "A value" : "\(issues.count) values") cannot be stored. Nothing was "
                    + "saved. Change "
                    + "\(issues.count == 1 ? "the value that the issue names" : "the values that the issues name").",
                issues: issues,
                databaseError: error)
        }
        // The server's own message may quote the value.
        let message =
            error.sqlState == nil
            ? "A value cannot be stored: \(error.message)"
            : "A value is too large or too long for its column, or has another form. Nothing was saved. Find "
                + "the value with the message of the underlying error, and correct it."
        return SaveError(.validation, message, databaseError: error)
    }

    /// Returns the issues of all values that a save would write, by entity, property and object.
    func issues(
        in changes: ChangeSet, of refusal: (StoredLeaf) -> String?
    ) -> [ValidationIssue] {
        var written: [(object: ManagedObject, slots: [Int]?)] = changes.inserted.map { ($0, nil) }
        written += changes.updated.map { ($0.object, $0.slots) }
        var issues: [ValidationIssue] = []
        for (object, slots) in written {
            for leaf in object.storedLeaves(slots) {
                guard let sentence = refusal(leaf) else { continue }
                issues.append(ValidationIssue(object, leaf.path, ValidationIssue.generic, sentence))
            }
        }
        return issues
    }
}

/// One value in the form of one column.
struct StoredLeaf {
    /// The property; elements of composites by dotted path.
    let path: String
    let column: LayoutColumn
    let value: Value

    /// The reason why the value cannot be stored, with the remedy; nil if it can.
    var refusal: String? {
        if case .array(let elements) = value, case .array(let type) = column.type {
            for (index, element) in elements.enumerated() {
                guard let refusal = Self.refusal(of: element, type) else { continue }
                return "has at index \(index) an element that \(refusal)"
            }
            return nil
        }
        return Self.refusal(of: value, column.type) ?? column.limit?.refusal(of: value)
    }

    private static func refusal(of value: Value, _ type: StoreSchema.ColumnType) -> String? {
        if let refusal = value.refusalOfTransformer { return refusal }
        switch value {
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
            return "is a date that is NaN or infinite. Use a finite date, or nil."
        case .date(let date) where (try? Timestamp.microseconds(of: date)) == nil:
            return
                "is outside PostgreSQL's range of dates (4714 BC to 294276 AD). Use a date within this range."
        case .string(let text) where text.unicodeScalars.contains("\0"):
            return
                "contains U+0000, which PostgreSQL cannot store in text. Remove that character, or store Data."
        case .data(let data) where type == .jsonb: return refusal(ofJSON: data)
        default:
            var writer = CellWriter()
            return (try? writer.write(value, as: type)) == nil
                ? "is \(value.kindName.article) \(value.kindName) that a column of type \(type.sqlName) cannot hold. "
                    + "Use another value."
                : nil
        }
    }

    private static func refusal(ofJSON data: Data) -> String? {
        if data.isEmpty {
            return
                "could not be encoded as JSON. Correct encode(to:) of the attribute's type so that encode(to:) "
                + "does not throw."
        }
        guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
            return "is not JSON. Use the bytes of a JSON text."
        }
        return containsNUL(value)
            ? "contains U+0000 in a text of its JSON, which PostgreSQL cannot store. Remove that character."
            : nil
    }

    private static func containsNUL(_ json: Any) -> Bool {
        switch json {
        case let text as String: text.unicodeScalars.contains("\0")
        case let members as [Any]: members.contains(where: containsNUL)
        case let members as [String: Any]:
            members.contains { containsNUL($0.key) || containsNUL($0.value) }
        default: false
        }
    }
}

extension ManagedObject {
    /// Returns the issues of values that cannot be stored; nil slots mean all of them.
    final func unstorable(_ slots: [Int]?) -> [ValidationIssue] {
        storedLeaves(slots).compactMap { leaf in
            leaf.refusal.map { ValidationIssue(self, leaf.path, ValidationIssue.generic, $0) }
        }
    }

    /// Returns the values of set attributes, column by column; nil slots mean all of them.
    final func storedLeaves(_ slots: [Int]?) -> [StoredLeaf] {
        var leaves: [StoredLeaf] = []
        for slot in slots ?? Array(layout.slots.indices) {
            guard let attribute = layout.attribute(slot), !attribute.isDerived else { continue }
            var values: [Value] = []
            _value(at: slot).appendLeaves(of: attribute.type, to: &values)
            let paths = attribute.description.leafPaths
            for (index, column) in layout.slots[slot].columns.enumerated()
            where values.indices.contains(index) && paths.indices.contains(index) {
                leaves.append(
                    StoredLeaf(path: paths[index], column: layout.columns[column], value: values[index]))
            }
        }
        return leaves
    }
}

extension AttributeDescription {
    /// The paths of the attribute's columns, in order.
    fileprivate var leafPaths: [String] {
        guard isStored else { return [] }
        guard let composite = type.composite else { return [name] }
        return composite.elements.flatMap { $0.leafPaths.map { "\(name).\($0)" } }
    }
}
