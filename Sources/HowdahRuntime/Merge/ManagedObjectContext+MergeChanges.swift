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

    /// Has the children merge what they were told, as far as they do so at once.
    func mergeBelow() {
        for child in children.compactMap(\.context) { child.mergeAtOnce() }
    }

    /// Takes in, or no longer, what the other contexts of the parent save.
    func followParent() {
        if automaticallyMergesChangesFromParent, inbox == nil {
            let inbox = MergeInbox(wake: mergePromptly)
            self.inbox = inbox
            followed.register(inbox)
        } else if !automaticallyMergesChangesFromParent, let inbox {
            followed.unregister(inbox)
            self.inbox = nil
        }
    }

    /// Merges what came in while the context was not at work.
    func mergeInbox() throws {
        guard let inbox, let content = inbox.take() else { return }
        do {
            switch content {
            case .notices(let notices): try mergeChanges(from: notices)
            case .everything:
                try merge(RowMerge(everythingIn: self), as: ContextChange())
                below?.tellEverything()
                mergeBelow()
            }
        } catch {
            inbox.putBack()
            throw error
        }
    }

    /// Merges what came in, where nothing else would have it merged; a failure becomes the context's.
    func mergeAtOnce() {
        guard mergesAtOnce, inbox != nil, !isSaving, failure == nil else { return }
        do {
            try mergeInbox()
        } catch {
            failure = failure ?? error
        }
    }

    private func mergeChanges(from notices: [SaveNotice]) throws {
        var change = ContextChange()
        for notice in notices {
            change.insertedObjectIDs += notice.insertedObjectIDs
            change.updatedObjectIDs += notice.updatedObjectIDs
            change.deletedObjectIDs += notice.deletedObjectIDs
        }
        try merge(RowMerge(notices, in: self), as: change)
        guard let below, below.hasListeners(besides: nil) else { return }
        for notice in notices { below.tell(notice, besides: nil) }
        mergeBelow()
    }

    private func merge(_ merge: RowMerge, as change: ContextChange) throws {
        try throwFailure()
        endEvent()
        var (merge, change) = (merge, change)
        try merge.run()
        // Told as merged, not once more as refreshed.
        change.refreshedObjectIDs =
            (event?.takeRefreshed() ?? []).filter { !$0.isDetached }.map(\.objectID)
        tell(.didMerge(change))
    }
}
