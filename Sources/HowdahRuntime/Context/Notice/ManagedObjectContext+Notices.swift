import HowdahModel

extension ManagedObjectContext {
    /// What happens in this context, from now on; see ``ContextNotice``.
    ///
    /// For a context of the main actor, or inside of `perform`. From elsewhere, ask its ``BackgroundContext``. While
    /// somebody listens, each change is noted; no statement is sent for it.
    ///
    /// Source: Core Data's notifications of `NSManagedObjectContext`.
    public var notices: Notices<ContextNotice> {
        let board = self.board ?? NoticeBoard()
        self.board = board
        let notices = board.listen()
        watchIfAsked()
        return notices
    }

    /// Has objects tell their changes as long as somebody wants to know them.
    func watchIfAsked() {
        let isAsked = undoManager != nil || board?.hasListeners == true
        guard isAsked != isWatching else { return }
        isWatching = isAsked
        event = isAsked ? ContextEvent() : nil
        for object in identityMaps.all {
            if isAsked { object._flags.insert(.watched) } else { object._flags.remove(.watched) }
        }
    }

    /// What changed since the last event ended, for who remembers it; those who listen are told. The next event begins.
    @discardableResult
    func takeEvent() -> ContextEvent {
        guard var taken = event else { return ContextEvent() }
        event = ContextEvent()
        taken.dropUnchanged()
        if board?.hasListeners == true {
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
        if undoManager != nil { processPendingChanges() } else { takeEvent() }
    }

    func tell(_ notice: ContextNotice) { board?.send(notice) }

    /// Tells that a save begins, where there is anything to save.
    func tellWillSave() {
        guard board?.hasListeners == true else { return }
        processPendingChanges()
        if hasChanges { tell(.willSave) }
    }

    /// What a rollback is about to do; the present event was not told and is forgotten with it.
    func changeOfRollback() -> ContextChange? {
        guard let event, board?.hasListeners == true else { return nil }
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
        let touched = identityMaps.all.filter {
            $0._flags.isDisjoint(with: [.inserted]) && ($0.hasChanges || $0._flags.contains(.linksChanged))
        }
        change.refreshedObjectIDs = touched.map(\.objectID).filter { !known.contains($0) }
        return change
    }
}

extension ManagedObjectContext {
    /// Has nothing noted while `body` runs.
    func unobserved(_ body: () -> Void) {
        let kept = event
        event = nil
        defer { if kept != nil { event = kept } }
        body()
    }
}
