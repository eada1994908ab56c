import HowdahModel
import PQClient

extension SaveFailure {
    private static let mostNamed = 5

    /// Returns the error for a sum or count that is too large for its attribute.
    ///
    /// The server does not report the row. If there are several, the ids are those of all that the statement
    /// computes.
    func overflow(_ error: PostgresError, _ failed: SaveStatement?) -> SaveError? {
        guard let derived = failed?.derived else { return nil }
        let group = derived.group
        let keys = derived.keys[0].sorted()
        let candidates = group.members.filter { member in
            guard let type = group.layout.attribute(member.slot)?.type else { return false }
            return switch member.function {
            case .copy: false
            case .count: type != .integer64
            // A numeric has room for any sum.
            case .sum: type != .decimal
            }
        }
        // The message is in the server's language, but types have one name.
        let named = candidates.filter { member in
            group.layout.attribute(member.slot)?.type.nameInRangeError.map(error.message.contains) ?? false
        }
        let members = named.isEmpty ? candidates : named
        func id(_ key: Int64) -> ObjectID<ManagedObject> {
            ObjectID(
                storeIdentifier: group.layout.storeIdentifier, entityName: group.layout.storedName, key: key)
        }
        let others =
            keys.count > 1
            ? " in one of the objects \(keys.prefix(Self.mostNamed).map { "p\($0)" }.joined(separator: ", "))"
                + (keys.count > Self.mostNamed ? " and \(keys.count - Self.mostNamed) more" : "") : ""
        let alternatives = members.count > 1 ? " (or another attribute in this error does)" : ""
        let issues = members.map { member in
            let attribute = group.layout.slots[member.slot].name
            return ValidationIssue(
                keys.count == 1 ? id(keys[0]) : nil, group.layout.name, attribute, ValidationIssue.generic,
                "exceeds the range of its type\(others)\(alternatives). Give the attribute a wider type, such as "
                    + "Integer 64 or Decimal, or reduce the values that the attribute is computed from.")
        }
        return SaveError(
            .validation,
            "A derived attribute exceeds the range of its column. Nothing was saved. Give the "
                + "attribute a wider type, such as Integer 64 or Decimal.",
            issues: issues, databaseError: error
        )
    }
}

extension AttributeType {
    /// The server's name for the type of a number that is out of its range.
    fileprivate var nameInRangeError: String? {
        switch self {
        case .integer16: "smallint"
        case .integer32: "integer"
        case .integer64: "bigint"
        case .float: "real"
        default: nil
        }
    }
}
