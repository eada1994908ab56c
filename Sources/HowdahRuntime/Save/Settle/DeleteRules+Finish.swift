import HowdahModel

extension DeleteRules {
    /// Removes deleted objects from the changes, and adds those that lose their destination.
    mutating func finish() {
        let found = settled
        let layouts = context.layouts
        settled.updated = found.updated.filter {
            found.deletedRows[$0.object.layout.root]?[$0.object.key] == nil
        }
        .map { update in
            let lost = found.lostDestinations(of: update.object, layouts: layouts)
            return .init(object: update.object, slots: Set(update.slots + lost).sorted())
        }
        settled.lists.removeAll { found.isDeleted($0.owner) }
        settled.inserted.removeAll { found.dropped.contains(ObjectIdentifier($0)) }
        // A row is written once: two statements would each move its version.
        var updatedKeys: [Int: Set<Int64>] = [:]
        for update in settled.updated {
            updatedKeys[update.object.layout.root, default: []].insert(update.object.key)
        }
        settled.nullifications = found.nullifications.reduce(into: [:]) { result, entry in
            let root = layouts[entry.key.entity].root
            let keys = entry.value.filter {
                found.deletedRows[root]?[$0] == nil && updatedKeys[root]?.contains($0) != true
            }
            if !keys.isEmpty { result[entry.key] = keys }
        }
        for rows in found.deletedRows.values {
            // Mostly all rows are of one entity.
            var entity = -1
            var joins: [JoinColumns] = []
            for (key, row) in rows {
                if row.entity != entity { (entity, joins) = (row.entity, layouts[row.entity].joinsToPurge) }
                for columns in joins { settled.purges[columns, default: []].append(key) }
            }
        }
    }
}

extension EntityLayout {
    /// The links that deletions of the entity's rows must remove, because no foreign key does.
    fileprivate var joinsToPurge: [JoinColumns] {
        relationshipSlots.flatMap { slot -> [JoinColumns] in
            let relationship = relationship(slot)
            guard case .join(let columns) = relationship.storage,
                relationship.deleteRule == .deny || relationship.deleteRule == .noAction
            else { return [] }
            return relationship.isSelfInverse ? [columns, columns.turned] : [columns]
        }
    }
}
