import HowdahModel

/// Passes the changes of other containers to the contexts that merge automatically.
struct RemoteMerges: Sendable {
    let store: Store

    /// Makes the contexts merge the changes of a window that are not this container's.
    func hear(_ window: ChangeHub.Window) {
        guard store.notices.isFollowed else { return }
        // A context may have read objects before the hub began to look.
        guard window.kind == .next else { return store.notices.tellEverything() }
        var notice = SaveNotice()
        for row in window.rows where row.process != store.history?.process {
            guard !row.entity.isEmpty else { return store.notices.tellEverything() }
            let ids = row.ids.map {
                ObjectID<ManagedObject>(
                    storeIdentifier: store.identifier, entityName: row.entity, key: $0)
            }
            switch row.kind {
            case .insert: notice.insertedObjectIDs += ids
            case .update: notice.updatedObjectIDs += ids
            case .delete: notice.deletedObjectIDs += ids
            }
        }
        if !notice.isEmpty { store.notices.tellOthersWork(notice) }
    }
}

extension PersistentContainer {
    /// Begins to pass changes of the history to contexts and followed results.
    func followRemoteChanges(merging mergesRemoteChanges: Bool) {
        let (followed, merges) = (followed, mergesRemoteChanges ? RemoteMerges(store: store) : nil)
        hub.listen { window in
            merges?.hear(window)
            await followed.hear(window)
        } failing: {
            followed.wake()
        }
        guard merges != nil, store.history != nil else { return }
        store.notices.whenFollowed { [weak hub] isFollowed in
            if isFollowed { hub?.retain() } else { hub?.release() }
        }
    }
}
