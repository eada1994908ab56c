import HowdahModel

/// The changes that a save inside a larger transaction adopted, so that a rollback can make them unsaved
/// again.
///
/// New objects keep the permanent keys that they got.
struct AdoptionJournal {
    private let inserted: [Pending]
    private let updated: [Pending]
    private let deleted: [Deleted]
    private let links: LinkChanges
    private let lists: [List]
    private let derived: [Derived]

    private struct Pending {
        let object: ManagedObject
        let changes: ChangeRecord?
        let written: UInt64
        let version: Int64

        init(_ object: ManagedObject) {
            self.object = object
            changes = object.changes
            written = object._written
            version = object.version
        }
    }

    private struct ListPlace: Hashable {
        let owner: ObjectIdentifier
        let slot: Int
    }

    private struct List {
        let owner: ManagedObject
        let slot: Int
        let numbers: [Int64: Int64]
    }

    /// A value that the save is about to replace by the store's computed one.
    private struct Derived {
        let object: ManagedObject
        let slot: Int
        let value: Value
    }

    private struct Deleted {
        let pending: Pending
        let wasAsked: Bool
        let wasUpdated: Bool

        init(_ object: ManagedObject) {
            pending = Pending(object)
            wasAsked = object._flags.contains(.deleted)
            wasUpdated = object._flags.contains(.updated)
        }
    }

    init(_ receipt: SaveReceipt, _ context: ManagedObjectContext) {
        let settled = receipt.settled
        inserted = settled.inserted.map(Pending.init)
        updated = settled.updated.map { Pending($0.object) }
        deleted = settled.deletedRows.values.flatMap { $0.values.compactMap { $0.object.map(Deleted.init) } }
        links = context.links
        lists = settled.lists.map {
            List(owner: $0.owner, slot: $0.relationship.slot, numbers: $0.state.numbers)
        }
        derived = receipt.derived.flatMap { row in
            guard let object = context.registry.find(root: row.root, key: row.key), !object.isFault
            else { return [Derived]() }
            return row.values.map {
                Derived(object: object, slot: $0.slot, value: object._value(at: $0.slot))
            }
        }
    }

    /// Makes all changes unsaved again; call it for the latest save first.
    ///
    /// Changes after the save stay. If an object became a fault since, it has no values to save, and stays
    /// one.
    func restore(in context: ManagedObjectContext) {
        context.changes.forgetReferences()
        for entry in deleted { revive(entry, in: context) }
        for entry in updated { takeBack(entry, in: context) }
        for entry in inserted where entry.object.owner != nil && !entry.object.isFault {
            let object = entry.object
            object.takeBack(entry.changes, entry.written)
            object.changes?.forgetOriginals()
            object.version = entry.version
            object._flags.remove(.updated)
            object._flags.insert(.inserted)
            context.changes.insert(object)
        }
        for entry in derived where entry.object.owner != nil && !entry.object.isFault {
            _ = entry.object._assign(entry.value, at: entry.slot)
        }
        var places: [ListPlace: Int] = [:]
        for (place, memento) in context.changes.mementos.enumerated() {
            places[ListPlace(owner: ObjectIdentifier(memento.owner), slot: memento.slot)] = place
        }
        for list in lists {
            // The members of the last save are wanted, and the numbers from before the first.
            if let known = places[ListPlace(owner: ObjectIdentifier(list.owner), slot: list.slot)] {
                context.changes.renumberMemento(at: known, list.numbers)
            } else {
                context.changes.note(ListMemento(list.owner, list.slot, numbers: list.numbers))
            }
        }
        for link in links.all { context.changes.notePrior(link) }
    }

    private func takeBack(_ entry: Pending, in context: ManagedObjectContext) {
        let object = entry.object
        guard object.owner != nil, !object.isFault else { return }
        object.takeBack(entry.changes, entry.written)
        object.version = entry.version
        if !object._flags.contains(.updated) { context.noteUpdate(object) }
    }

    private func revive(_ entry: Deleted, in context: ManagedObjectContext) {
        let object = entry.pending.object
        guard context.registry.find(root: object.layout.root, key: object.key) == nil else { return }
        object.owner = context
        object.clearChanges()
        object._flags.remove(.detached)
        object._flags.insert(.registered)
        context.registry.insert(object)
        if entry.wasUpdated { takeBack(entry.pending, in: context) }
        if entry.wasAsked {
            context.changes.delete(object)
        } else {
            object._flags.remove(.deleted)
        }
    }
}
