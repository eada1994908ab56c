import HowdahModel

/// The effects of one object's delete rules in memory, so that they can be reverted.
struct PropagatedDeletion {
    /// A member that was removed from a to-many.
    struct Unlinked {
        let member: ManagedObject
        /// The destination in the column of its row when it was read; nil if it has no column, or no row.
        let base: ChangeRecord.Original?
    }

    /// A to-one that was cleared.
    struct Cleared {
        let slot: Int
        let destination: ManagedObject
        /// The destination in the column when its row was read, in either of the two rows; nil if the row is
        /// not stored.
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
    /// Returns a Boolean value that indicates whether a link may be restored.
    ///
    /// It may not if a merge changed the column's destination since; then the column decides.
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
    /// Returns the destination in the column of a relationship when the row was read.
    ///
    /// The column is this object's or, on the other side, that of `other`. The result is nil if neither has
    /// one, or if the row is not stored yet.
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
