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
            for (key, row) in rows {
                let layout = layouts[row.entity]
                for relationship in layout.relationshipSlots.map(layout.relationship) {
                    guard case .join(let columns) = relationship.storage,
                        relationship.deleteRule == .deny || relationship.deleteRule == .noAction
                    else { continue }
                    settled.purges[columns, default: []].append(key)
                    if relationship.isSelfInverse { settled.purges[columns.turned, default: []].append(key) }
                }
            }
        }
    }
}
