extension ManagedObjectContext {
    /// Makes what the parent took the clean state of the objects.
    func adopt(_ push: Push, _ sources: PushSources) {
        let changes = push.changes
        undoManager?.bury(changes.deleted + changes.discarded)
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
        for object in changes.deleted + changes.discarded where object.owner != nil { forgetDeleted(object) }
        let roots = Set((changes.deleted + changes.discarded).map(\.layout.root))
        if !roots.isEmpty { forgetReferences(toHierarchies: roots) }
        adoptUnchanged(changes)
    }
}
