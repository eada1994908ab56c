import HowdahModel

extension ManagedObjectContext {
    /// The events of this context from now on; see ``ContextNotice``.
    ///
    /// Use it for a context of the main actor, or inside of `perform`. From elsewhere, use the context's
    /// ``BackgroundContext``. While there is a listener, each change is recorded; no statement is sent for
    /// it.
    ///
    /// Source: Core Data's notifications of `NSManagedObjectContext`.
    public var notices: Notices<ContextNotice> {
        let notices = recorder.openBoard().listen()
        watchIfAsked()
        return notices
    }

    /// Makes an object hear the notices at once, in the context's own isolation, as long as it exists.
    func addObserver(_ observer: any ContextObserver) {
        recorder.add(observer)
        watchIfAsked()
    }

    /// Makes objects report their changes while there is a listener.
    func watchIfAsked() {
        guard recorder.watchIfAsked() else { return }
        let isWatching = recorder.isWatching
        for object in registry.all {
            if isWatching { object._flags.insert(.watched) } else { object._flags.remove(.watched) }
        }
    }

    /// Ends the event, sends its changes to the listeners and returns them. The next event begins.
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

    /// Ends the event if that has an effect: its changes are sent, and form one undo group.
    func endEvent() {
        // Without a stack delete rules wait for the save, whoever listens.
        if isUndoable { processPendingChanges() } else { takeEvent() }
    }

    func tell(_ notice: ContextNotice) { recorder.tell(notice, in: self) }

    /// Sends the notice that a save begins, if there is anything to save.
    func tellWillSave() {
        guard recorder.hasListeners else { return }
        processPendingChanges()
        if hasChanges { tell(.willSave) }
    }

    /// Returns the changes that a rollback is about to make. The present event was not sent and is dropped.
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
