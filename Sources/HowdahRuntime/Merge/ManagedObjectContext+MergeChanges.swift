public import HowdahModel

extension ManagedObjectContext {
    /// Merges the changes that another context saved into this one.
    ///
    /// - Changed objects are read again on their next access.
    /// - Objects that have changes here too are read at once, with one statement per hierarchy. Their changes
    ///   are kept on top, so the next save has no conflict about them.
    /// - Deleted objects leave this context, with their unsaved changes.
    /// - New objects are not read.
    /// - To-many relationships that may have gained or lost members are read on their next access.
    /// - Ids that this context does not know are ignored.
    /// - Objects under ``detectConflicts(for:)`` stay unchanged, so that the next save compares them.
    ///
    /// Source: Core Data's `mergeChanges(fromContextDidSave:)`.
    ///
    /// - Throws: `FetchError.database` if the query fails; `FetchError.invalidRequest` while the context
    ///   decodes rows or stores its changes; the error of a fault that could not be filled earlier.
    public func mergeChanges(from notice: SaveNotice) throws { try mergeChanges(from: [notice]) }

    /// Merges changes of rows that no context made: those of a batch request, or of a statement of another
    /// program.
    ///
    /// Objects that refer to a deleted row are also read at once, with one statement per hierarchy and level.
    /// The database may have deleted them as well, or cleared their reference.
    ///
    /// Source: Core Data's `mergeChanges(fromRemoteContextSave:into:)`.
    ///
    /// - Parameters:
    ///   - updated: The ids of changed rows.
    ///   - deleted: The ids of deleted rows, as `BatchDeleteResult.objectIDs`.
    /// - Throws: The errors of `mergeChanges(from:)`.
    public func mergeChanges<Changed: ManagedObject, Gone: ManagedObject>(
        updated: [ObjectID<Changed>] = [] as [ObjectID<ManagedObject>],
        deleted: [ObjectID<Gone>] = [] as [ObjectID<ManagedObject>]
    ) throws {
        try mergeChanges(
            from: SaveNotice(updated: updated.map { $0.typed() }, deleted: deleted.map { $0.typed() }))
    }

    /// A Boolean value that indicates whether saves of this container's other contexts are merged here; false
    /// by default.
    ///
    /// They merge as by `mergeChanges(from:)`. A context of a ``BackgroundContext`` merges when its next
    /// `perform` begins. The ``PersistentContainer/viewContext`` merges as soon as the main actor is free. If
    /// that fails, ``failure`` has the error, and ``clearFailure()`` retries the merge. If a context is more
    /// than 10,000 ids behind, it reads all its objects again.
    ///
    /// A child follows its parent instead of the container: the pushes of other children, and the parent's
    /// own saves and merges. A child from ``newChildContext()`` merges at once, with that save or merge.
    ///
    /// Source: Core Data's `automaticallyMergesChangesFromParent`.
    public var automaticallyMergesChangesFromParent: Bool {
        get { settings.automaticallyMergesChangesFromParent }
        set {
            changeSetting(\.automaticallyMergesChangesFromParent, to: newValue)
            followParent()
        }
    }

    /// Begins or ends to receive the saves of the parent's other contexts.
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
        case .everything: try mergeEverything()
        }
    }

    /// Reads all objects again, with unsaved changes on top.
    func mergeEverything() throws {
        try merge(RowMerge(everythingIn: self), as: ContextChange())
        recorder.tellOfEverything(in: self)
        recorder.followers?.tellEverything()
        mergeBelow()
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
