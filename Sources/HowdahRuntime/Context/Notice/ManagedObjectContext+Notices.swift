import HowdahModel

extension ManagedObjectContext {
    /// What happens in this context, from now on; see ``ContextNotice``.
    ///
    /// For a context of the main actor, or inside of `perform`. From elsewhere, ask its ``BackgroundContext``. While
    /// somebody listens, each change is noted; no statement is sent for it.
    ///
    /// Source: Core Data's notifications of `NSManagedObjectContext`.
    public var notices: Notices<ContextNotice> {
        let notices = recorder.openBoard().listen()
        watchIfAsked()
        return notices
    }

    /// Has objects tell their changes as long as somebody wants to know them.
    func watchIfAsked() {
        guard recorder.watchIfAsked() else { return }
        let isWatching = recorder.isWatching
        for object in registry.all {
            if isWatching { object._flags.insert(.watched) } else { object._flags.remove(.watched) }
        }
    }

    /// What changed since the last event ended, for who remembers it; those who listen are told. The next event begins.
    @discardableResult
    func takeEvent() -> ContextEvent {
        guard var taken = recorder.takeEvent() else { return ContextEvent() }
        taken.dropUnchanged()
        if recorder.hasListeners {
            let change = ContextChange(taken)
            if !change.isEmpty { tell(.didChange(change)) }
        }
        _ = taken.takeRefreshed()
        watchIfAsked()
        return taken
    }

    /// Ends the event where its end has a meaning: what changed is told, and can be undone by itself.
    func endEvent() {
        // Without a stack delete rules wait for the save, whoever listens.
        if isUndoable { processPendingChanges() } else { takeEvent() }
    }

    func tell(_ notice: ContextNotice) { recorder.tell(notice) }

    /// Tells that a save begins, where there is anything to save.
    func tellWillSave() {
        guard recorder.hasListeners else { return }
        processPendingChanges()
        if hasChanges { tell(.willSave) }
    }

    /// What a rollback is about to do; the present event was not told and is forgotten with it.
    func changeOfRollback() -> ContextChange? {
        guard let event, recorder.hasListeners else { return nil }
        let born = Set(event.inserted.map(ObjectIdentifier.init))
        let gone = Set(event.deleted.map(ObjectIdentifier.init))
        var change = ContextChange()
        change.insertedObjectIDs = deletedObjects.filter { !gone.contains(ObjectIdentifier($0)) }
            .map(\.objectID)
        change.deletedObjectIDs = inserted.filter { object in
            object._flags.contains(.inserted) && !born.contains(ObjectIdentifier(object))
                && (!object._flags.contains(.deleted) || gone.contains(ObjectIdentifier(object)))
        }.map(\.objectID)
        let known = Set(change.insertedObjectIDs)
        let touched = registry.all.filter {
            $0._flags.isDisjoint(with: [.inserted]) && ($0.hasChanges || $0._flags.contains(.linksChanged))
        }
        change.refreshedObjectIDs = touched.map(\.objectID).filter { !known.contains($0) }
        return change
    }
}
