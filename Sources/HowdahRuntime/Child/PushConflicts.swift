import HowdahModel

/// Compares a child's changes with the parent's present values: the values that the child read are the common
/// base.
struct PushConflicts {
    private let push: Push
    private let sources: PushSources
    private let context: ManagedObjectContext

    init(_ push: Push, _ sources: PushSources, _ context: ManagedObjectContext) {
        self.push = push
        self.sources = sources
        self.context = context
    }

    /// Throws if there are conflicts, and leaves them to the context.
    ///
    /// - Throws: `SaveError.conflict`; `SaveError.referentialIntegrity` if a new object of the parent is
    ///   deleted that an object here refers to.
    func check() throws {
        var found: [(object: ManagedObject, row: StoredRow?)] = []
        var lists: [ObjectIdentifier: Set<Int>] = [:]
        for (object, slots) in push.updated {
            guard let source = present(object) else {
                found.append((object, nil))
                continue
            }
            let row = context.row(of: source)
            let reordered = reordered(object, source)
            if isContested(object, slots, source, row) || !reordered.isEmpty {
                found.append((object, row))
                lists[ObjectIdentifier(object)] = reordered
            }
        }
        for object in push.changes.deleted + push.changes.guarded where !object.isFault {
            // What both delete is deleted.
            guard let source = present(object) else {
                if !object._flags.contains(.deleted) { found.append((object, nil)) }
                continue
            }
            let row = context.row(of: source)
            if !differing(object, row).isEmpty { found.append((object, row)) }
        }
        if !found.isEmpty {
            context.changes.noteConflicts(
                found.map {
                    MergeConflict($0.object, $0.row, lists: lists[ObjectIdentifier($0.object)] ?? [])
                })
            throw Conflicts.error(
                found.map { object, row in
                    var conflict = Conflicts.conflict(
                        object, row, context, lists: lists[ObjectIdentifier(object)] ?? [])
                    if isUnsaved(object) { conflict.version = nil }
                    return conflict
                })
        }
        try checkReferences()
    }

    /// Returns a Boolean value that indicates whether a parent has unsaved changes of an object, so that its values are
    /// not those of a version.
    private func isUnsaved(_ object: ManagedObject) -> Bool {
        var next = context.parent
        while let parent = next {
            if parent.registry.find(root: object.layout.root, key: object.key)?.hasChanges == true {
                return true
            }
            next = parent.parent
        }
        return false
    }

    /// Returns the parent's object with its values; nil if it or its row is deleted.
    private func present(_ object: ManagedObject) -> ManagedObject? {
        sources[object].flatMap { $0.isFault || $0.isDetached ? nil : $0 }
    }

    /// Returns the slots whose values differ from those that were read here.
    private func differing(_ object: ManagedObject, _ row: StoredRow) -> [Int] {
        object.layout.slots.indices.filter { slot in
            guard let theirs = row.values[slot], object.layout.attribute(slot)?.isDerived != true else {
                return false
            }
            return !object.isAlike(object.read(slot), theirs, at: slot)
        }
    }

    private func isContested(
        _ object: ManagedObject, _ slots: [Int], _ source: ManagedObject, _ row: StoredRow
    ) -> Bool {
        let differing = differing(object, row)
        if differing.isEmpty { return false }
        let changed = Set(slots)
        return differing.contains { slot in
            if changed.contains(slot), let theirs = row.values[slot] {
                return !object.isAlike(theirs, object.original(at: slot), at: slot)
            }
            // The parent has read the row anew: somebody else changed it, and rows are compared as a whole.
            return object.version != source.version && !source._flags.contains(.inserted)
                && !source.isWritten(slot)
        }
    }

    /// Returns the lists edited here whose members or order in the parent differ from their base.
    private func reordered(_ object: ManagedObject, _ source: ManagedObject) -> Set<Int> {
        let lists = object.editedLists.filter { slot, state in
            guard state.isLoaded, object.layout.relationship(slot).isOrdered,
                let list = source._toManyState(at: slot), list.isLoaded
            else { return false }
            let theirs = list.members.filter { !$0._flags.contains(.deleted) }.map(\.key)
            return theirs != state.numberedKeys
                && theirs != state.members.filter { !$0._flags.contains(.deleted) }.map(\.key)
        }
        return Set(lists.map(\.slot))
    }

    // MARK: References

    /// Checks references to objects of the parent that may be deleted.
    ///
    /// New ones may have been removed by a rollback, a reset or an undo. The parent may be about to delete
    /// stored ones.
    private func checkReferences() throws {
        let written =
            push.updated.map { ($0.object, $0.slots) }
            + push.changes.inserted.map { ($0, $0.ownToOneSlots) }
        var lost: [LostDestination] = []
        func check(_ object: ManagedObject, _ slot: Int, leadsTo other: ManagedObject?) {
            guard let other, other._flags.isDisjoint(with: [.inserted, .deleted]), sources[other] == nil,
                !object._flags.contains(.deleted), object.owner != nil
            else { return }
            if other.key >= 0, object.layout.relationship(slot).outlivesDestination(context.layouts) {
                return
            }
            lost.append(LostDestination(object: object, slot: slot, destination: other))
        }
        for (object, slots) in written {
            for slot in slots where object.layout.slots[slot].relationship != nil {
                check(object, slot, leadsTo: object._toOneField(at: slot).object)
            }
        }
        for link in push.changes.links where link.isInsertion {
            check(link.owner, link.slot, leadsTo: link.member)
            if let inverse = link.inverse { check(link.member, inverse, leadsTo: link.owner) }
        }
        if lost.isEmpty { return }
        let found = LostDestinations.conflicts(lost) { keys, layout in
            var rows: [Int64: StoredRow] = [:]
            for object in lost.map(\.object) where object.layout === layout {
                rows[object.key] = present(object).map(context.row)
            }
            return rows
        }
        context.changes.noteConflicts(found)
        throw LostDestinations.error(lost, "was deleted or released in the parent context")
    }
}
