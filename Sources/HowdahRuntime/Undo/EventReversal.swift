import HowdahModel

/// Restores the objects of a context to their state before an event.
///
/// It uses the mutators that update inverses and record changes: these records are the redo. Each step
/// compares the former state with the present one. If other changes made a step impossible, it is left out,
/// and the save reports it.
struct EventReversal {
    let context: ManagedObjectContext
    var deletedRelationships: DeletedRelationships
    /// The objects whose lists were restored.
    private var relisted: [ManagedObject] = []
    private var told: [ObjectIdentifier: (object: ManagedObject, events: SnapshotEvents)] = [:]

    init(context: ManagedObjectContext, deletedRelationships: DeletedRelationships) {
        self.context = context
        self.deletedRelationships = deletedRelationships
    }

    mutating func revert(_ event: ContextEvent) {
        context.recorder.reverting { revertChanges(event) }
    }

    private mutating func revertChanges(_ event: ContextEvent) {
        let born = Set(event.inserted.map(ObjectIdentifier.init))
        revive(event.deleted.filter { !born.contains(ObjectIdentifier($0)) && !exists($0) })
        for entry in event.written { revert(entry, isBorn: born.contains(ObjectIdentifier(entry.object))) }
        for link in event.links.reversed() { revert(link) }
        for entry in event.written {
            guard let owner = present(entry.object) else { continue }
            for (slot, members) in entry.lists { order(owner, slot, as: members) }
            if !entry.lists.isEmpty { relisted.append(owner) }
        }
        delete(event.inserted.filter(exists))
    }

    /// Clears the changes of objects that are as they were read. Calls the hooks of restored or changed ones.
    func tell() {
        for (object, _) in told.values { object.cleanIfUnchanged() }
        for object in relisted { object.cleanIfUnchanged() }
        for (object, events) in told.values where exists(object) { object.awakeFromSnapshotEvents(events) }
    }

    // MARK: Existence

    private func exists(_ object: ManagedObject) -> Bool {
        object._flags.isDisjoint(with: [.deleted, .detached])
    }

    /// Returns the object, or the one that stands for its row now.
    private func present(_ object: ManagedObject) -> ManagedObject? {
        guard object._flags.contains(.detached) else { return object }
        return context.registry.find(root: object.layout.root, key: object.key)
    }

    private mutating func revive(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        var opened: [DeletedRelationships.Entry] = []
        for object in objects {
            if object._flags.contains(.detached) {
                guard let entry = deletedRelationships.take(object),
                    context.reregister(object, wasStored: entry.wasStored)
                else { continue }
                opened.append(entry)
            } else {
                object._flags.subtract([.deleted, .prepared])
            }
            context.recorder.noteInsertion(object)
            note(object, .undoDeletion)
        }
        let returned = Set(objects.map(ObjectIdentifier.init))
        context.changes.removeDeleted {
            returned.contains(ObjectIdentifier($0)) && !$0._flags.contains(.deleted)
        }
        context.changes.skipPropagation()
        for object in objects where exists(object) { context.reattach(object) }
        for entry in opened { relate(entry) }
        for entry in opened { for list in entry.lists { order(list.owner, list.slot, as: list.members) } }
    }

    /// Restores the relationships of an object that is to be stored again, if their other ends exist.
    ///
    /// Other objects may have lost it between its deletion and the save: when these were restored, it did not
    /// exist.
    private mutating func relate(_ entry: DeletedRelationships.Entry) {
        let object = entry.object
        for (slot, field) in entry.toOnes {
            if let destination = destination(field, of: object, slot) {
                object._setDestination(destination, slot)
            }
        }
        for (other, slot) in entry.awaiting {
            guard let other = present(other), exists(other), other.destination(slot) == nil else { continue }
            other._setDestination(object, slot)
        }
        for link in entry.awaitingLinks {
            guard let owner = present(link.owner), let member = present(link.member) else { continue }
            owner.insertMember(member, link.slot)
        }
        for (slot, members) in entry.links {
            for member in members.compactMap(present) { object.insertMember(member, slot) }
        }
    }

    private mutating func delete(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        for object in objects.reversed() {
            // What the hook did the first time is among the changes that are reverted.
            object._flags.insert(.prepared)
            note(object, .undoInsertion)
        }
        context.delete(objects.reversed())
        context.propagateDeletions()
    }

    // MARK: Values

    /// - Parameter isBorn: Indicates whether the object is removed, and may keep its plain values.
    private mutating func revert(_ entry: ContextEvent.Written, isBorn: Bool) {
        guard let object = present(entry.object), !entry.originals.isEmpty else { return }
        object._willRead()
        for (slot, original) in entry.originals {
            switch original {
            case .value(let value):
                if isBorn || object._value(at: slot).isIdentical(to: value) { continue }
                object._willWrite(slot)
                _ = object._assign(value, at: slot)
            case .toOne(let field): object._setDestination(destination(field, of: object, slot), slot)
            }
        }
        note(object, .undoUpdate)
    }

    private mutating func revert(_ link: ContextEvent.Link) {
        guard let owner = present(link.owner), let member = present(link.member) else {
            if !link.isInsertion { deletedRelationships.note(link) }
            return
        }
        if link.isInsertion {
            owner.removeMember(member, link.slot)
        } else {
            owner.insertMember(member, link.slot)
        }
    }

    /// Returns the former destination of a to-one. If it does not exist, the result is nil, and it is
    /// recorded for its return.
    private mutating func destination(
        _ field: _ToOneField, of object: ManagedObject, _ slot: Int
    ) -> ManagedObject? {
        guard field.entity >= 0 else { return nil }
        let root = context.layouts[Int(field.entity)].root
        if let former = field.object ?? deletedRelationships.object(root: root, key: field.key) {
            if let present = present(former) { return present }
            deletedRelationships.note(object, slot, to: former)
            return nil
        }
        return context.object(entity: Int(field.entity), key: field.key)
    }

    /// Restores the positions of an ordered list's members; members added in between follow.
    private func order(_ owner: ManagedObject, _ slot: Int, as members: [ManagedObject]?) {
        guard let members, let owner = present(owner), owner.layout.relationship(slot).isOrdered,
            let state = owner.loadedList(slot)
        else { return }
        let wanted = members.compactMap(present).filter { state.position(of: $0) != nil }
        let known = Set(wanted.map(ObjectIdentifier.init))
        let order = wanted + state.members.filter { !known.contains(ObjectIdentifier($0)) }
        owner.replaceMembers(slot, with: order)
    }

    private mutating func note(_ object: ManagedObject, _ events: SnapshotEvents) {
        told[ObjectIdentifier(object), default: (object, [])].events.formUnion(events)
    }
}
