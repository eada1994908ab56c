import HowdahModel

/// Makes a child's changes unsaved changes of its parent, in one event.
///
/// It uses the mutators of every change. So inverses, lists and undo behave as if the program had made the
/// changes there.
struct PushApplication {
    private let push: Push
    private var sources: PushSources
    private let context: ManagedObjectContext
    private let parent: ManagedObjectContext

    init(
        _ push: Push, _ sources: PushSources, _ context: ManagedObjectContext, _ parent: ManagedObjectContext
    ) {
        self.push = push
        self.sources = sources
        self.context = context
        self.parent = parent
    }

    consuming func apply() {
        // What the parent changed before is an event of its own.
        parent.endEvent()
        for object in push.changes.inserted { insert(object) }
        for (object, slots) in push.updated { write(object, slots) }
        appendMembers()
        for (object, slots) in push.updated { setDestinations(of: object, slots) }
        for object in push.changes.inserted { setDestinations(of: object, object.ownToOneSlots) }
        // What is deleted was led away from others here already.
        for object in push.changes.deleted { setDestinations(of: object, object.changedSlots) }
        for link in push.changes.links where !link.isInsertion { set(link) }
        for link in push.changes.links where link.isInsertion { set(link) }
        for (owner, slot, state) in push.transients { setMembers(of: owner, slot, state) }
        for list in push.changes.lists where list.relationship.isOrdered && list.state.isLoaded {
            guard let owner = sources[list.owner] else { continue }
            parent.reorder(owner, list.relationship.slot, as: list.state.members.compactMap { sources[$0] })
        }
        for object in push.changes.deleted {
            guard let source = sources[object] else { continue }
            // The hook was called here.
            source._flags.insert(.prepared)
            parent.delete(source)
        }
        for object in push.changes.guarded {
            if let source = sources[object] { parent.detectConflicts(for: source) }
        }
        // The parent's save compares the versions that the child's program named.
        for named in context.changes.named.entries.values {
            guard let source = sources[named.object], !source._flags.contains(.inserted) else { continue }
            // A stale version that the parent's program named stays: its own changes are based on it.
            if let earlier = parent.changes.expectedVersion(of: source), earlier.row != source.rowVersion {
                continue
            }
            parent.changes.expect(named.version, of: source, isStale: named.isStale)
        }
        parent.endEvent()
    }

    // MARK: Objects and values

    private mutating func insert(_ object: ManagedObject) {
        let source = counterpart(ofNew: object)
        sources.add(source, for: object)
        for slot in object.layout.slots.indices {
            guard let attribute = object.layout.attribute(slot) else { continue }
            if object.isWritten(slot), !attribute.isDerived { source._willWrite(slot) }
            _ = source._assign(object._value(at: slot), at: slot)
        }
    }

    private func counterpart(ofNew object: ManagedObject) -> ManagedObject {
        let (root, key) = (object.layout.root, object.key)
        if let known = parent.registry.find(root: root, key: key) {
            if !known.isFault {
                // It was about to be deleted, and comes back.
                known._flags.subtract([.deleted, .prepared])
                parent.changes.removeDeleted { $0 === known }
                parent.recorder.noteInsertion(known)
                parent.reattach(known)
                return known
            }
            parent.registry.remove(known)
            known.detach(from: parent)
            known._flags.insert(.vanished)
        }
        let source = parent.store.classes[object.layout].init(
            _ObjectSeed(layout: object.layout, owner: parent, key: key, flags: parent.flags(.inserted)))
        source.version = object.version
        parent.noteInsertion(source)
        return source
    }

    private func write(_ object: ManagedObject, _ slots: [Int]) {
        guard let source = sources[object] else { return }
        for slot in slots where object.layout.attribute(slot) != nil {
            source._willWrite(slot)
            _ = source._assign(object._value(at: slot), at: slot)
        }
    }

    // MARK: Relationships

    /// Appends new members of lists that were not read here to their end there, in order.
    private func appendMembers() {
        for list in push.changes.lists where list.relationship.isOrdered && !list.state.isLoaded {
            guard let owner = sources[list.owner] else { continue }
            for member in list.state.gained where !member._flags.contains(.deleted) {
                if let member = sources[member] { owner.insertMember(member, list.relationship.slot) }
            }
        }
    }

    private func setDestinations(of object: ManagedObject, _ slots: [Int]) {
        guard let source = sources[object] else { return }
        for slot in slots where object.layout.slots[slot].relationship != nil {
            let field = object._toOneField(at: slot)
            if field.isUnknown { continue }
            source._setDestination(destination(field), slot)
        }
    }

    private func destination(_ field: _ToOneField) -> ManagedObject? {
        guard field.entity >= 0 else { return nil }
        if let object = field.object { return sources[object] }
        return parent.object(entity: Int(field.entity), key: field.key)
    }

    private func set(_ link: LinkChanges.Change) {
        guard let owner = sources[link.owner], let member = sources[link.member] else { return }
        if link.isInsertion {
            owner.insertMember(member, link.slot)
        } else {
            owner.removeMember(member, link.slot)
        }
    }

    private func setMembers(of owner: ManagedObject, _ slot: Int, _ state: _ToManyState) {
        guard let source = sources[owner] else { return }
        let present = Set(state.members.map(ObjectIdentifier.init))
        for former in state.originals ?? [] where !present.contains(ObjectIdentifier(former)) {
            if let former = sources[former] { source.removeMember(former, slot) }
        }
        let members = state.members.compactMap { sources[$0] }
        for member in members { source.insertMember(member, slot) }
        guard owner.layout.relationship(slot).isOrdered else { return }
        let known = Set(members.map(ObjectIdentifier.init))
        let others = source.membersOf(slot).filter { !known.contains(ObjectIdentifier($0)) }
        source.replaceMembers(slot, with: members + others)
    }
}
