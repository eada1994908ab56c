import HowdahModel

/// What the delete rules of one object did in memory, so that it can be taken back.
struct PropagatedDeletion {
    /// A member that was taken out of a to-many.
    struct Unlinked {
        let member: ManagedObject
        /// Where the column of its row led when it was read; nil if it has none, or no row.
        let base: ChangeRecord.Original?
    }

    /// A to-one that was emptied.
    struct Cleared {
        let slot: Int
        let destination: ManagedObject
        /// Where the column led when its row was read, in whichever of the two rows it is; nil if there is no row.
        let base: ChangeRecord.Original?
    }

    /// The objects that a cascade deleted.
    var deleted: [ManagedObject] = []
    /// The members of each to-many, in their order.
    var unlinked: [(slot: Int, members: [Unlinked])] = []
    var cleared: [Cleared] = []

    var isEmpty: Bool { deleted.isEmpty && unlinked.isEmpty && cleared.isEmpty }
}

extension PropagatedDeletion {
    /// Whether a link may come back as it was.
    ///
    /// Not if a merge took another destination for the column since: then the column leads where it says.
    static func returns(
        _ relationship: RelationshipLayout, of object: ManagedObject, to other: ManagedObject,
        _ base: ChangeRecord.Original?
    ) -> Bool {
        guard let base else { return true }
        var (holder, slot) = (object, relationship.slot)
        if case .foreignKey = relationship.storage {
        } else if let inverse = relationship.inverse {
            (holder, slot) = (other, inverse)
        }
        let present = holder.read(slot)
        if holder.isAlike(base, present, at: slot) { return true }
        if case .toOne(let field) = present, holder.changedSlots.contains(slot) {
            let destination =
                field.entity < 0 ? nil : holder.owner?.object(entity: Int(field.entity), key: field.key)
            holder._setDestination(destination, slot)
        }
        return false
    }
}

extension ManagedObject {
    /// Where the column of a relationship led when the row was read, be it this object's column or the one of `other`, on
    /// the other side; nil if neither has one, or the row is not stored yet.
    final func baseOfLink(_ relationship: RelationshipLayout, with other: ManagedObject) -> ChangeRecord
        .Original?
    {
        if case .foreignKey = relationship.storage {
            return _flags.contains(.inserted) ? nil : read(relationship.slot)
        }
        guard let inverse = relationship.inverse, !relationship.inverseIsToMany,
            !other._flags.contains(.inserted)
        else { return nil }
        return other.read(inverse)
    }
}
