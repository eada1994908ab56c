import HowdahModel

/// The parent's objects that a push is about to change.
///
/// All values that the changes read are loaded, so that a push cannot fail halfway.
struct PushSources {
    private var sources: [ObjectIdentifier: ManagedObject] = [:]
    private let parent: ManagedObjectContext
    private let fresh: Set<ObjectIdentifier>

    init(_ push: Push, _ context: ManagedObjectContext, _ parent: ManagedObjectContext) throws {
        self.parent = parent
        let changes = push.changes
        fresh = Set(changes.inserted.map(ObjectIdentifier.init))
        let read =
            push.updated.map(\.object) + changes.guarded + push.transients.map(\.owner)
            + changes.deleted.filter { !$0.isFault } + changes.lists.map(\.owner)
        for object in read + changes.deleted where !fresh.contains(ObjectIdentifier(object)) {
            sources[ObjectIdentifier(object)] = parent.counterpart(of: object)
        }
        try parent.load(distinctFaults(read.compactMap { self[$0] }))
        try loadEnds(push)
        for list in changes.lists where list.relationship.isOrdered && list.state.isLoaded {
            _ = self[list.owner]?.loadedList(list.relationship.slot)
        }
        for link in changes.links {
            guard let owner = self[link.owner], let member = self[link.member] else { continue }
            if owner.layout.relationship(link.slot).isOrdered {
                owner.loadMembers(link.slot, ifItMayHave: member)
            }
            if let inverse = link.inverse, member.layout.relationship(inverse).isOrdered {
                member.loadMembers(inverse, ifItMayHave: owner)
            }
            _ = parent.clarifyLink(owner, member, slot: link.slot, isInsertion: link.isInsertion)
        }
        if parent.undoManager != nil {
            parent.prepareToReturn(changes.deleted.compactMap { self[$0] })
        }
    }

    /// The parent's objects that the push compares with.
    var all: [ManagedObject] { Array(sources.values) }

    /// Returns the parent's object; nil if it has none, or is about to delete it.
    subscript(object: ManagedObject) -> ManagedObject? {
        if let known = sources[ObjectIdentifier(object)] { return known }
        return fresh.contains(ObjectIdentifier(object)) ? nil : parent.counterpart(of: object)
    }

    /// Adds the parent's object for a new one.
    mutating func add(_ source: ManagedObject, for object: ManagedObject) {
        sources[ObjectIdentifier(object)] = source
    }

    private func distinctFaults(_ objects: [ManagedObject]) -> [ManagedObject] {
        var known: Set<ObjectIdentifier> = []
        return objects.filter { $0.isFault && known.insert(ObjectIdentifier($0)).inserted }
    }

    /// Loads the objects that change with a to-one: the other side of a one-to-one, or the owner of a list.
    private func loadEnds(_ push: Push) throws {
        let written =
            push.updated.map { ($0.object, $0.slots) }
            + push.changes.deleted.map { ($0, $0.changedSlots) }
            + push.changes.inserted.map { ($0, $0.ownToOneSlots) }
        var ends: [ManagedObject] = []
        var partners: [(ManagedObject, Int)] = []
        for (object, slots) in written {
            let source = self[object]
            for slot in slots {
                guard let relationship = object.layout.slots[slot].relationship, !relationship.isToMany,
                    let inverse = relationship.inverse
                else { continue }
                let present = object.destination(slot).flatMap { self[$0] }
                let both = [present, source?.destination(slot)].compactMap(\.self)
                for end in both where end.needsValues(inverse) || parent.undoManager != nil {
                    ends.append(end)
                    partners.append((end, inverse))
                }
            }
        }
        try parent.load(distinctFaults(ends))
        for (end, inverse) in partners {
            if end.layout.relationship(inverse).isToMany {
                if parent.undoManager != nil, end.layout.relationship(inverse).isOrdered {
                    _ = end.loadedList(inverse)
                }
            } else {
                end.destination(inverse)?._willRead()
            }
        }
    }
}

extension ManagedObject {
    /// Returns true if a change of this side of a relationship, made from the other one, reads the object's
    /// row.
    fileprivate final func needsValues(_ slot: Int) -> Bool {
        let relationship = layout.relationship(slot)
        return !relationship.isToMany || relationship.isKeptByOwner
    }
}
