import HowdahModel

extension ManagedObjectContext {
    /// Passes changes of objects to the children, and to their children too.
    func tellChildren(_ parentChanges: ParentChanges) {
        for child in children.compactMap(\.context) {
            child.hear(parentChanges)
            child.tellChildren(parentChanges)
        }
    }

    private func hear(_ parentChanges: ParentChanges) {
        for (root, keys) in parentChanges.keys {
            for (former, key) in keys {
                guard let object = registry.find(root: root, key: former) else { continue }
                if let known = registry.find(root: root, key: key) {
                    join(object, known)
                    continue
                }
                registry.rename(object, to: key)
            }
        }
        if !parentChanges.keys.isEmpty {
            renumberLists(parentChanges.keys)
            inbox?.rename { id in
                guard let root = store.layouts.layout(storedName: id.entityName)?.root,
                    let key = parentChanges.keys[root]?[id.key]
                else { return id }
                return ObjectID(storeIdentifier: id.storeIdentifier, entityName: id.entityName, key: key)
            }
        }
        for entry in parentChanges.versions {
            guard let object = registry.find(root: entry.root, key: entry.key), !object.isFault,
                object.version == entry.version - 1
            else { continue }
            object.version = entry.version
        }
    }

    /// Renumbers lists, which record the order that was read by the members' keys.
    private func renumberLists(_ keys: [Int: [Int64: Int64]]) {
        guard store.layouts.hasKeptLists else { return }
        for object in registry.all {
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                guard relationship.isOrdered, let state = object._toManyState(at: slot),
                    let renamed = keys[layouts[relationship.destination].root]
                else { continue }
                state.numbers = Dictionary(
                    state.numbers.map { (renamed[$0] ?? $0, $1) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }
}
