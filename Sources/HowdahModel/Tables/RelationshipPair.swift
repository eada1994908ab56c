/// A property by the entity that declares it.
struct PropertyKey: Hashable, Comparable {
    let entity: String
    let name: String

    /// What no name has in it, so that parts put together stay unambiguous.
    static let separator = "\u{1F}"

    var identity: String { [entity, name].joined(separator: Self.separator) }
    /// What the column with the destination's entity is known by.
    var entityIdentity: String { identity + Self.separator + "#entity" }
    /// What the column with the order among the inverse's destinations is known by.
    var orderIdentity: String { identity + Self.separator + "#order" }

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.entity, lhs.name) < (rhs.entity, rhs.name) }
}

/// A relationship and the one that leads back, seen from one of the two.
struct RelationshipPair {
    enum Storage {
        case ownColumn, inverseColumn, joinTable
    }

    let key: PropertyKey
    let relationship: RelationshipDescription
    let inverseKey: PropertyKey?
    let inverse: RelationshipDescription?

    var isSelfInverse: Bool { inverseKey == key }

    var isOneToOne: Bool {
        guard let inverse else { return false }
        return !relationship.isToMany && !inverse.isToMany
    }

    /// Whether this side names the join table and comes first in it.
    var leads: Bool { inverseKey.map { key <= $0 } ?? true }

    var storage: Storage {
        guard let inverse, !isSelfInverse else { return relationship.isToMany ? .joinTable : .ownColumn }
        return switch (relationship.isToMany, inverse.isToMany) {
        case (false, true): .ownColumn
        case (true, false): .inverseColumn
        case (true, true): .joinTable
        case (false, false): holdsColumn(against: inverse) ? .ownColumn : .inverseColumn
        }
    }

    /// Where only one side names a column, it holds it. Otherwise: a foreign key in the own column keeps the inverse's delete rule, so the stricter of the two rules decides;
    /// then NOT NULL, which only the column's own side can have; then the names.
    private func holdsColumn(against inverse: RelationshipDescription) -> Bool {
        let names = [relationship, inverse].map { $0.userInfo[MappingKey.column] != nil }
        if names[0] != names[1] { return names[0] }
        let (own, other) = (relationship.deleteRule.strictness, inverse.deleteRule.strictness)
        if own != other { return other > own }
        if relationship.isOptional != inverse.isOptional { return !relationship.isOptional }
        return leads
    }

    /// What deletes of the destination do to the row with the own column; nil for no foreign key.
    var ownColumnAction: StoreSchema.ForeignKey.Action? {
        let rule = inverse?.deleteRule ?? (relationship.deleteRule == .noAction ? .noAction : .nullify)
        return switch rule {
        case .cascade: .cascade
        case .deny: .noAction
        case .noAction: nil
        default: relationship.isOptional ? .setNull : .noAction
        }
    }

    /// The name of the column with the order of the inverse's destinations follows from the own column's.
    var isOrderedByInverse: Bool { inverse.map { $0.isToMany && $0.isOrdered } ?? false }
}

extension DeleteRule {
    fileprivate var strictness: Int {
        switch self {
        case .deny: 3
        case .cascade: 2
        case .nullify: 1
        default: 0
        }
    }

    /// What deletes of the owner do to its links in a join table; nil for no foreign key.
    var linkAction: StoreSchema.ForeignKey.Action? {
        switch self {
        case .deny: .noAction
        case .noAction: nil
        default: .cascade
        }
    }
}
