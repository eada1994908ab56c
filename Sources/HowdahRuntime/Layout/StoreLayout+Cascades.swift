import HowdahModel
import PQClient

extension StoreLayout {
    /// Returns the hierarchies whose rows foreign keys delete for the relationship's cascade.
    ///
    /// If a deletion has effects that foreign keys do not have, the result is nil.
    func rootsCarriedByForeignKeys(_ relationship: RelationshipLayout) -> Set<Int>? {
        var roots: Set<Int> = []
        return isCarried(relationship, &roots) ? roots : nil
    }

    private func isCarried(_ relationship: RelationshipLayout, _ roots: inout Set<Int>) -> Bool {
        guard relationship.deleteRule == .cascade, case .inverse(let columns) = relationship.storage,
            let inverse = relationship.inverse, !relationship.isSelfInverse
        else { return false }
        let layout = entities[relationship.destination]
        guard roots.insert(layout.root).inserted, layout.table.existing == nil,
            let name = schema.entities[layout.name]?.table, let table = schema.table(named: name),
            table.triggers.allSatisfy({ !$0.duty.isDeleteRule }),
            table.foreignKeys.contains(where: {
                $0.onDelete == .cascade && $0.columns.first.map(SQLIdentifier.quoted) == columns.column
            })
        else { return false }
        return layout.family.allSatisfy { place in
            let member = entities[place]
            return oneWayReferences(to: member).isEmpty && derivedGroups(deleting: member).isEmpty
                && member.relationshipSlots.allSatisfy { slot in
                    slot == inverse || isInert(member.relationship(slot), &roots)
                }
        }
    }

    /// Returns true if only foreign keys act on the deletion of an object.
    private func isInert(_ relationship: RelationshipLayout, _ roots: inout Set<Int>) -> Bool {
        let other = relationship.inverse.map { entities[relationship.destination].relationship($0) }
        // A rule that denies does not count rows that the same save deletes, and so has to know them.
        if other?.isKeptByOwner == true || other?.deleteRule == .deny { return false }
        switch relationship.storage {
        case .foreignKey:
            return relationship.deleteRule != .cascade && relationship.deleteRule != .deny
                && !relationship.isSelfInverse
        case .inverse: return isCarried(relationship, &roots)
        case .join: return relationship.deleteRule == .nullify && !relationship.isSelfInverse
        case .memory: return true
        }
    }
}
