extension ManagedObjectContext {
    /// Marks the changes that the parent accepted as the clean state of the objects.
    func adopt(_ push: Push, _ sources: PushSources) {
        let late = self.changes.takeLate()
        // What merges changed on the way; with a stack, saves are no step.
        takeEvent()
        let changes = push.changes
        recorder.undo?.bury(changes.deleted + changes.discarded)
        for object in changes.inserted {
            object._flags.remove(.inserted)
            object.clearChanges()
        }
        for (object, _) in push.updated {
            object.clearChanges()
            if let source = sources[object] { object.version = source.version }
        }
        for list in changes.lists where list.relationship.isOrdered && list.state.isLoaded {
            list.state.number(list.state.members.filter { !$0._flags.contains(.deleted) })
        }
        let gone = changes.deleted + changes.discarded
        for object in gone where object.owner != nil { forgetDeleted(object) }
        if !gone.isEmpty {
            forgetReferences(
                to: Dictionary(grouping: gone, by: \.layout.root).mapValues { Set($0.map(\.key)) })
        }
        // Those that the parent did not get.
        let versions = self.changes.named.entries.values.filter { sources[$0.object] == nil }
        adoptUnchanged(changes)
        compareAgain(versions)
        restore(late)
    }

    /// Removes deleted objects, by root entity and key, from all references.
    private func forgetReferences(to gone: [Int: Set<Int64>]) {
        forgetParts()
        for object in registry.all where !object.isFault {
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                guard let keys = gone[layouts[relationship.destination].root] else { continue }
                if let state = object._toManyState(at: slot) {
                    state.forgetDeleted()
                    for key in keys { state.numbers[key] = nil }
                }
                var field = object._toOneField(at: slot)
                guard field.entity >= 0, keys.contains(field.key) else { continue }
                if case .foreignKey = relationship.storage, relationship.outlivesDestination(layouts) {
                    field.object = nil
                } else {
                    field = .none
                }
                object._assignToOne(field, at: slot)
            }
        }
    }
}
