public import HowdahModel

extension ManagedObjectContext {
    /// Has this context follow what another one saved.
    ///
    /// Objects that changed there are read anew when they are next touched; those that have changes here too are read at
    /// once, a statement per hierarchy, and keep their changes on top, so that the next save meets no conflict about
    /// them. What was deleted there leaves this context, with its unsaved changes. New objects are not read; to-many
    /// relationships that may have gained or lost members are, when they are next touched. Ids that are not known here
    /// say nothing. Objects under ``detectConflicts(for:)`` stay as they are, for the next save to compare.
    ///
    /// Source: Core Data's `mergeChanges(fromContextDidSave:)`.
    ///
    /// - Throws: `FetchError.database` where the server could not be asked; the failure of an earlier fault.
    public func mergeChanges(from notice: SaveNotice) throws { try mergeChanges(from: [notice]) }

    /// Has this context follow what happened to rows without any context: a batch request, a statement of another program.
    ///
    /// What here leads to a deleted row is read at once too, a statement per hierarchy and level: the database may have
    /// deleted it as well, or taken its reference.
    ///
    /// Source: Core Data's `mergeChanges(fromRemoteContextSave:into:)`.
    ///
    /// - Parameters:
    ///   - updated: ids of rows that were changed.
    ///   - deleted: ids of rows that are gone, as `BatchDeleteResult.objectIDs`.
    /// - Throws: as ``mergeChanges(from:)``.
    public func mergeChanges<Changed: ManagedObject, Gone: ManagedObject>(
        updated: [ObjectID<Changed>] = [] as [ObjectID<ManagedObject>],
        deleted: [ObjectID<Gone>] = [] as [ObjectID<ManagedObject>]
    ) throws {
        try mergeChanges(
            from: SaveNotice(updated: updated.map { $0.typed() }, deleted: deleted.map { $0.typed() }))
    }

    /// Whether what other contexts of this container save is merged here, as by ``mergeChanges(from:)``; false by default.
    ///
    /// A child follows its parent in place of the container: what other children push, and what the parent saves or
    /// merges itself. One that was made by ``newChildContext()`` merges at once, with that save or merge.
    ///
    /// In a context of ``BackgroundContext`` that happens when its next `perform` begins; in
    /// ``PersistentContainer/viewContext`` as soon as the main actor is free: where it fails there, ``failure`` says so,
    /// and ``clearFailure()`` has it tried again. A context that is more than 10,000 ids behind reads all its objects again.
    ///
    /// Source: Core Data's `automaticallyMergesChangesFromParent`.
    public var automaticallyMergesChangesFromParent: Bool {
        get { settings.automaticallyMergesChangesFromParent }
        set {
            changeSetting(\.automaticallyMergesChangesFromParent, to: newValue)
            followParent()
        }
    }

    /// Begins or ends to receive what the other contexts of the parent save.
    private func followParent() {
        if automaticallyMergesChangesFromParent, inbox == nil {
            let inbox = MergeInbox(wake: recorder.mergePromptly)
            recorder.receive(in: inbox) { try $0.merge($1) }
            followed.register(inbox)
        } else if !automaticallyMergesChangesFromParent, let inbox {
            followed.unregister(inbox)
            recorder.endReceiving()
        }
    }

    private func merge(_ content: MergeInbox.Content) throws {
        switch content {
        case .notices(let notices): try mergeChanges(from: notices)
        case .everything:
            try merge(RowMerge(everythingIn: self), as: ContextChange())
            recorder.followers?.tellEverything()
            mergeBelow()
        }
    }

    private func mergeChanges(from notices: [SaveNotice]) throws {
        try checkRefresh()
        var change = ContextChange()
        for notice in notices {
            change.insertedObjectIDs += notice.insertedObjectIDs
            change.updatedObjectIDs += notice.updatedObjectIDs
            change.deletedObjectIDs += notice.deletedObjectIDs
        }
        try merge(RowMerge(notices, in: self), as: change)
        guard let followers = recorder.followers else { return }
        for notice in notices { followers.tell(notice, besides: nil) }
        mergeBelow()
    }

    private func merge(_ merge: RowMerge, as change: ContextChange) throws {
        try throwFailure()
        endEvent()
        var (merge, change) = (merge, change)
        try merge.run()
        // Told as merged, not once more as refreshed.
        change.refreshedObjectIDs = recorder.takeRefreshed().filter { !$0.isDetached }.map(\.objectID)
        tell(.didMerge(change))
    }
}
