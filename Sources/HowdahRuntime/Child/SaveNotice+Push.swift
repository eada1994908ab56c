import HowdahModel

extension SaveNotice {
    /// Creates the notice of a child's save for its parent, before the child adopts it.
    init(_ push: Push, in context: ManagedObjectContext) {
        var rows = Rows(context: context)
        let changes = push.changes
        let inserted = changes.inserted.compactMap { rows.take($0) }
        let deleted = changes.deleted.compactMap { rows.take($0) }
        var updated = push.updated.compactMap { rows.take($0.object) }
        for object in changes.inserted { updated += rows.takeEnds(of: object) }
        for (object, slots) in push.updated { updated += rows.takeEnds(of: object, slots) }
        for object in changes.deleted where !object.isFault { updated += rows.takeEnds(of: object) }
        for link in changes.links { updated += [link.owner, link.member].compactMap { rows.take($0) } }
        updated += push.transients.compactMap { rows.take($0.owner) }
        self.init(inserted: inserted, updated: updated, deleted: deleted)
    }
}

extension ManagedObjectContext {
    /// Returns the notice of a child's save; nil without listeners.
    func notice(of push: Push) -> SaveNotice? {
        guard isHeard else { return nil }
        let notice = SaveNotice(push, in: self)
        return notice.isEmpty ? nil : notice
    }
}
