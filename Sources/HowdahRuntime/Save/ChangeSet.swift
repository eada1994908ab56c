/// What a context wants stored, frozen at the moment of the save.
struct ChangeSet {
    var inserted: [ManagedObject]
    var updated: [ManagedObject]
    let deleted: [ManagedObject]
    let links: [LinkChanges.Change]

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }

    /// Whether rows must be locked before anything is written: several statements that touch existing rows
    /// deadlock with each other's order unless every save takes all its rows first, in one order.
    var needsLocks: Bool {
        if !deleted.isEmpty { return true }
        guard let first = updated.first else { return false }
        return updated.contains {
            $0.layout !== first.layout || $0._written != first._written || $0._written == 0
                || $0.changes?.highSlots != first.changes?.highSlots
        }
    }
}

extension ManagedObjectContext {
    /// Lets objects change themselves in `willSave` until none does any more, then freezes what is to be stored.
    ///
    /// - Throws: `SaveError.validation` where `willSave` hooks never come to rest.
    func freezeChanges() throws -> ChangeSet {
        var asked: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            let changes = ChangeSet(
                inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, links: links.all)
            let fresh = (changes.inserted + changes.updated + changes.deleted).filter {
                asked.insert(ObjectIdentifier($0)).inserted
            }
            if fresh.isEmpty { return changes }
            for object in fresh { object.willSave() }
        }
        throw SaveError(
            .validation,
            "willSave made further objects change 100 times over; let it change only what differs.")
    }
}
