import HowdahModel

/// The changes of a context that a save stores, frozen at its beginning.
///
/// It is an object because each stage of a save has it, and copies of ten lists would count ten references.
final class ChangeSet {
    let inserted: [ManagedObject]
    /// The objects with a column that differs from the value read.
    let updated: [Update]
    /// Objects that were written to and have the same values as before; they only become clean.
    let unchanged: [ManagedObject]
    let deleted: [ManagedObject]
    /// New objects that were deleted before they were stored.
    let discarded: [ManagedObject]
    let links: [LinkChanges.Change]
    /// The changed to-manys that their owners' rows keep; each owner is one of the other objects.
    let lists: [ListChange]

    /// Unchanged objects whose versions are compared nevertheless.
    let guarded: [ManagedObject]

    /// The issues that validation hooks threw.
    let issues: [ValidationIssue]

    init(
        inserted: [ManagedObject] = [], updated: [Update] = [], unchanged: [ManagedObject] = [],
        deleted: [ManagedObject] = [], discarded: [ManagedObject] = [], links: [LinkChanges.Change] = [],
        lists: [ListChange] = [], guarded: [ManagedObject] = [], issues: [ValidationIssue] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.unchanged = unchanged
        self.deleted = deleted
        self.discarded = discarded
        self.links = links
        self.lists = lists
        self.guarded = guarded
        self.issues = issues
    }

    /// An object with a changed row, and the slots with changed columns, ascending; none if only its version
    /// changes.
    struct Update {
        let object: ManagedObject
        var slots: [Int]
    }

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && discarded.isEmpty && links.isEmpty
    }

    /// A Boolean value that indicates whether one changed row is all that is stored.
    var hasSoleUpdate: Bool {
        updated.count == 1 && inserted.isEmpty && deleted.isEmpty && discarded.isEmpty && links.isEmpty
            && lists.isEmpty && guarded.isEmpty
    }

    /// Returns a Boolean value that indicates whether rows must be locked before anything is written.
    ///
    /// Several statements on existing rows deadlock with those of another save, unless every save locks all
    /// its rows first, in one order.
    ///
    /// - Parameters:
    ///   - isNested: Indicates whether the save is part of a transaction, which then keeps its settings.
    ///   - readsEnds: Indicates whether the save reads the destinations of objects that it deletes as faults.
    func needsLocks(_ layouts: StoreLayout, isNested: Bool, readsEnds: Bool = false) -> Bool {
        if !discarded.isEmpty || !guarded.isEmpty { return true }
        if let first = deleted.first {
            if isNested || !updated.isEmpty || !links.isEmpty { return true }
            if readsEnds, deleted.contains(where: { $0.isFault && !$0.layout.toOnesWithInverse.isEmpty }) {
                return true
            }
            // Where a deletion reaches nothing else, one statement takes the rows and compares their versions.
            var known: EntityLayout?
            return deleted.contains { object in
                if object.layout === known { return false }
                known = object.layout
                return object.layout.root != first.layout.root || layouts.deletionReachesOthers(object.layout)
            }
        }
        guard let first = updated.first else { return false }
        return updated.contains { $0.object.layout !== first.object.layout || $0.slots != first.slots }
    }
}

extension ManagedObjectContext {
    /// Calls `willSave` until no object changes any more, then freezes the changes to store.
    ///
    /// - Parameter notified: The objects whose hook was called for this save already.
    /// - Throws: `SaveError.validation` if `willSave` hooks never stop changing objects; `CancellationError`
    ///   if a validation hook threw it.
    func freezeChanges(_ notified: inout Set<ObjectIdentifier>) throws -> ChangeSet {
        processPendingChanges()
        announceDeletions()
        for _ in 0..<100 {
            let (inserted, updated, deleted) = (insertedObjects, updatedObjects, deletedObjects)
            var fresh: [ManagedObject] = []
            func note(_ objects: [ManagedObject]) {
                for object in objects where notified.insert(ObjectIdentifier(object)).inserted {
                    fresh.append(object)
                }
            }
            note(inserted)
            note(updated)
            note(deleted)
            if fresh.isEmpty {
                let issues = try hookIssues(inserted, updated, deleted)
                let (changes, isChanged) = noticingChanges {
                    frozenAlone(issues)
                        ?? frozen(insertedObjects, updatedObjects, deletedObjects, issues: issues)
                }
                // By `transformed()` of an attribute, which a comparison of values calls.
                if isChanged { continue }
                return changes
            }
            for object in fresh { object.willSave() }
            processPendingChanges()
            announceDeletions()
        }
        throw SaveError(
            .validation,
            "The save called willSave() and transformed() 100 times, and they changed objects each time. Set "
                + "a value in these methods only if the value differs from the present one."
        )
    }

    /// Freezes the changes as ``freezeChanges(_:)`` does, with every hook called.
    func freezeChanges() throws -> ChangeSet {
        var notified: Set<ObjectIdentifier> = []
        return try freezeChanges(&notified)
    }

    /// Returns the present changes if one stored object is all that is changed, and its row differs.
    private func frozenAlone(_ issues: [ValidationIssue]) -> ChangeSet? {
        guard let object = changes.soleUpdate, object.editedLists.isEmpty else { return nil }
        let slots = object.changedColumnSlots
        return slots.isEmpty
            ? nil : ChangeSet(updated: [ChangeSet.Update(object: object, slots: slots)], issues: issues)
    }

    /// Returns the present changes, without calling hooks.
    ///
    /// - Parameter discarding: New objects to treat as deleted, in addition to those that are.
    func frozen(
        _ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject],
        discarding: [ManagedObject] = [], issues: [ValidationIssue] = []
    ) -> ChangeSet {
        var (updates, unchanged): ([ChangeSet.Update], [ManagedObject]) = ([], [])
        for object in updated {
            let slots = object.changedColumnSlots
            if slots.isEmpty, object.editedLists.isEmpty {
                unchanged.append(object)
            } else {
                updates.append(.init(object: object, slots: slots))
            }
        }
        var lists: [ListChange] = []
        if store.layouts.hasKeptLists {
            lists = (inserted + updated).flatMap { owner in
                owner.editedLists.map { slot, state in
                    ListChange(owner: owner, relationship: owner.layout.relationship(slot), state: state)
                }
            }
        }
        var guarded: [ManagedObject] = []
        // A save without changes compares nothing.
        if !changes.guarded.isEmpty, hasChanges || !changes.touched.isEmpty {
            let updated = Set(updates.map { ObjectIdentifier($0.object) })
            guarded = changes.guarded.filter { object in
                object.owner === self && !object.isFault && !object._flags.contains(.inserted)
                    && !object._flags.contains(.deleted) && !updated.contains(ObjectIdentifier(object))
            }
        }
        return ChangeSet(
            inserted: inserted, updated: updates, unchanged: unchanged, deleted: deleted,
            discarded: self.inserted.filter { $0._flags.isSuperset(of: [.inserted, .deleted]) } + discarding,
            links: links.isEmpty
                ? [] : links.all.filter { !$0.owner.isForgotten && !$0.member.isForgotten },
            lists: lists, guarded: guarded, issues: issues)
    }
}
