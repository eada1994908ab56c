import HowdahModel
package import PQClient

/// The runtime's data of one relationship: its destination, its inverse, and its columns.
///
/// It is a class, because each access uses it and each copy would retain its many strings.
package final class RelationshipLayout: Sendable {
    package let name: String
    package let slot: Int
    /// The destination entity's position.
    package let destination: Int
    /// The slot of the inverse in the destination's layout; nil if the model names none.
    package let inverse: Int?
    package let inverseIsToMany: Bool
    let inverseIsOrdered: Bool
    package let isToMany: Bool
    package let isOrdered: Bool
    package let isOptional: Bool
    package let minCount: Int
    /// The maximum count; 0 for none.
    let maxCount: Int
    /// A Boolean value that indicates whether the relationship is its own inverse: if A has B, B has A.
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

    /// A Boolean value that indicates whether the number of members is bounded.
    var isCounted: Bool { isToMany && !isTransient && (minCount > 0 || maxCount > 0) }

    /// A Boolean value that indicates whether a change of the members, or of their order, changes the owner's
    /// row.
    ///
    /// If two contexts make such a change, only one may succeed.
    var isKeptByOwner: Bool { isOrdered && !isTransient || isCounted }

    /// A Boolean value that indicates whether the relationship lives in memory only.
    package var isTransient: Bool { if case .memory = storage { true } else { false } }

    /// Returns true if this is the same relationship as another, which both entities of the hierarchy
    /// inherit.
    func isShared(with other: RelationshipLayout) -> Bool {
        self === other
            || slot == other.slot && destination == other.destination && name == other.name
                && inverse == other.inverse && storage == other.storage
    }

    /// The place that stores the relationship.
    package enum Storage: Sendable, Hashable {
        /// In the object's own row.
        case foreignKey(ForeignKeyColumns)
        /// In the rows of the destination's table.
        case inverse(ForeignKeyColumns)
        /// In a table of pairs.
        case join(JoinColumns)
        /// In the objects themselves, while they are not faults.
        case memory
    }
}

/// The quoted columns of a foreign key, and the table they are in.
package struct ForeignKeyColumns: Sendable, Hashable {
    package let table: StoredTable
    package let column: String
    /// The destination's stored entity name next to the key, if the destination is in a hierarchy.
    package let entityColumn: String?
    /// The position among the members of the to-many at the other end, if that is ordered.
    package let orderColumn: String?
}

/// The quoted columns of a join table, seen from one side.
package struct JoinColumns: Sendable, Hashable {
    /// The table for observers of statements.
    package let subject: StatementTable
    package let ownColumn: String
    package let ownEntityColumn: String?
    package let otherColumn: String
    package let otherEntityColumn: String?
    /// The position among this side's members, if it is ordered.
    package let orderColumn: String?
    /// The position among the other side's members, if that is ordered.
    package let otherOrderColumn: String?
    /// A Boolean value that indicates whether this side names the links, which are recorded once.
    ///
    /// The other side looks up the pair in reverse.
    package let isPrimarySide: Bool

    /// The quoted and schema-qualified name of the table.
    package var table: String { subject.quoted }

    /// The same table, seen from the other side.
    package var turned: JoinColumns {
        JoinColumns(
            subject: subject, ownColumn: otherColumn, ownEntityColumn: otherEntityColumn,
            otherColumn: ownColumn,
            otherEntityColumn: ownEntityColumn, orderColumn: otherOrderColumn, otherOrderColumn: orderColumn,
            isPrimarySide: !isPrimarySide)
    }
}
