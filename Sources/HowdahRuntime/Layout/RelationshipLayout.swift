import HowdahModel

/// One relationship as the runtime follows it: where it leads, where it comes back, and which columns hold it.
///
/// A class, because it is asked for at every access and its many strings would be retained with each copy.
package final class RelationshipLayout: Sendable {
    package let name: String
    package let slot: Int
    /// The destination entity's place.
    package let destination: Int
    /// The slot of the inverse in the destination's layout; nil where the model names none.
    package let inverse: Int?
    package let inverseIsToMany: Bool
    let inverseIsOrdered: Bool
    package let isToMany: Bool
    package let isOrdered: Bool
    package let isOptional: Bool
    package let minCount: Int
    /// 0 for no maximum.
    let maxCount: Int
    /// Whether the relationship leads back by itself: what A has of B, B has of A.
    package let isSelfInverse: Bool
    let deleteRule: DeleteRule
    let renamingIdentifier: String?
    package let storage: Storage

    init(
        _ description: RelationshipDescription, slot: Int, destination: Int, inverse: Int?,
        inverseIsToMany: Bool, inverseIsOrdered: Bool, isSelfInverse: Bool, storage: Storage
    ) {
        name = description.name
        self.slot = slot
        self.destination = destination
        self.inverse = inverse
        self.inverseIsToMany = inverseIsToMany
        self.inverseIsOrdered = inverseIsOrdered
        isToMany = description.isToMany
        isOrdered = description.isOrdered
        isOptional = description.isOptional
        minCount = description.minCount
        maxCount = description.maxCount
        self.isSelfInverse = isSelfInverse
        deleteRule = description.deleteRule
        renamingIdentifier = description.renamingIdentifier
        self.storage = storage
    }

    /// Whether the number of members is bounded.
    var isCounted: Bool { isToMany && !isTransient && (minCount > 0 || maxCount > 0) }

    /// Whether a change of the members, or of their order, is a change of the owner's row: two contexts that make
    /// one must not both succeed.
    var isKeptByOwner: Bool { isOrdered && !isTransient || isCounted }

    /// Whether the relationship lives in memory only.
    package var isTransient: Bool { if case .memory = storage { true } else { false } }

    /// Whether this is the same relationship as another, seen from another entity of the hierarchy: both inherit it.
    func isShared(with other: RelationshipLayout) -> Bool {
        self === other
            || slot == other.slot && destination == other.destination && name == other.name
                && inverse == other.inverse && storage == other.storage
    }

    /// Where the relationship is kept.
    package enum Storage: Sendable, Hashable {
        /// In the object's own row.
        case foreignKey(ForeignKeyColumns)
        /// In the rows of the destination's table.
        case inverse(ForeignKeyColumns)
        /// In a table of pairs.
        case join(JoinColumns)
        /// In the objects themselves, for as long as they are not faults.
        case memory
    }
}

/// The quoted columns of a foreign key, and the table they are in.
package struct ForeignKeyColumns: Sendable, Hashable {
    package let table: StoredTable
    package let column: String
    /// The destination's stored entity name beside the key, where the destination is in a hierarchy.
    package let entityColumn: String?
    /// The position among the members of the to-many at the other end, where that is ordered.
    package let orderColumn: String?
}

/// The quoted columns of a join table, seen from one side.
package struct JoinColumns: Sendable, Hashable {
    package let table: String
    package let ownColumn: String
    package let ownEntityColumn: String?
    package let otherColumn: String
    package let otherEntityColumn: String?
    /// The position among this side's members, where it is ordered.
    package let orderColumn: String?
    /// The position among the other side's members, where that is ordered.
    package let otherOrderColumn: String?
    /// Links are recorded once; this side names them. The other side looks the pair up turned round.
    package let isPrimarySide: Bool

    /// The same table, seen from the other side.
    package var turned: JoinColumns {
        JoinColumns(
            table: table, ownColumn: otherColumn, ownEntityColumn: otherEntityColumn, otherColumn: ownColumn,
            otherEntityColumn: ownEntityColumn, orderColumn: otherOrderColumn, otherOrderColumn: orderColumn,
            isPrimarySide: !isPrimarySide)
    }
}
