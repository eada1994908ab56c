import HowdahModel

extension ManagedObjectContext {
    /// Makes a new object stand for an existing row. The row's id is kept, and references to the object
    /// follow.
    ///
    /// If the row is an object of this context already, that one takes the values that the policy keeps. The
    /// new one then forwards to it.
    ///
    /// - Throws: `FetchError` if the object's class cannot read a stored value. Nothing is changed then.
    func adopt(
        _ row: StoredRow, key: Int64, by object: ManagedObject, _ type: MergePolicy.MergeType
    ) throws {
        let kept = object.slotsKept(against: row, by: type)
        let known = registry.find(root: object.layout.root, key: key)
        if known == nil {
            try object.checkReadable(row, object.layout.slots.indices.filter { !kept.contains($0) })
        }
        if object.key > 0 {
            changes.supersede(object.objectID, by: object.id(withKey: key))
        }
        if let known {
            move(object, into: known, kept)
        } else {
            become(row, key, object, kept, type)
        }
    }

    private func become(
        _ row: StoredRow, _ key: Int64, _ object: ManagedObject, _ kept: [Int], _ type: MergePolicy.MergeType
    ) {
        var parentChanges = ParentChanges(for: self)
        parentChanges.renamed(object, to: key)
        registry.remove(object)
        object.key = key
        object._flags.remove(.inserted)
        registry.insert(object)
        // The row was there before: an undo must not delete it.
        recorder.forgetInsertion(of: object)
        noteAdoption(of: object)
        changes.doubtLinks(of: object)
        noteUpdate(object)
        object.take(row, keeping: kept)
        let lists = object.layout.relationshipSlots.compactMap { slot in
            object.layout.relationship(slot).isOrdered
                ? object._toManyState(at: slot).map { (slot: slot, members: $0.members) } : nil
        }
        // The row may have members that are not known here.
        object.releaseMembers()
        reapplyChanges(of: object)
        for list in lists where !list.members.isEmpty { reorder(object, list.slot, as: list.members) }
        // Children read the object as it is now.
        tellChildren(parentChanges)
    }

    /// Joins two objects that stand for the same row since the parent's save, with the unsaved changes of
    /// both.
    func join(_ object: ManagedObject, _ known: ManagedObject) {
        guard object !== known, object.layout === known.layout else { return }
        move(object, into: known, object.layout.slots.indices.filter(object.isWritten))
        for referrer in registry.all where referrer !== object {
            referrer.replaceReferences(to: object, by: known)
        }
    }

    /// Records an object that children must reload, because a save found its row in the store.
    private func noteAdoption(of object: ManagedObject) {
        if !children.isEmpty { changes.noteAdoption(of: object) }
    }

    /// Reloads adopted objects in children and their children, with their unsaved changes on top.
    func tellOfAdoptions() {
        let objects = changes.takeAdopted()
        guard !objects.isEmpty else { return }
        for child in children.compactMap(\.context) {
            for object in objects {
                guard let own = child.registry.find(root: object.layout.root, key: object.key),
                    !own.isFault
                else { continue }
                do {
                    try child.refresh(own, mergeChanges: true)
                } catch {
                    child.fail(error)
                }
                child.changes.noteAdoption(of: own)
            }
            child.tellOfAdoptions()
        }
    }

    /// Moves an object's values and relationships to another object that stands for the same row.
    func move(_ object: ManagedObject, into other: ManagedObject, _ kept: [Int]) {
        other._willRead()
        for slot in kept where object.layout.attribute(slot) != nil {
            other._willWrite(slot)
            _ = other._assign(object._value(at: slot), at: slot)
        }
        // No row brings them.
        for slot in object.layout.slots.indices where object.layout.attribute(slot)?.isTransient == true {
            guard object.isWritten(slot) else { continue }
            other._willWrite(slot)
            _ = other._assign(object._value(at: slot), at: slot)
        }
        for slot in object.layout.relationshipSlots {
            let relationship = object.layout.relationship(slot)
            if case .toMany = object.layout.slots[slot].kind {
                for member in object.membersOf(slot) {
                    object.removeMember(member, slot)
                    other.insertMember(member, slot)
                }
            } else if let destination = object.destination(slot) {
                object._setDestination(nil, slot)
                let isKept: Bool
                if case .foreignKey = relationship.storage {
                    isKept = kept.contains(slot)
                } else {
                    isKept = true
                }
                if isKept { other._setDestination(destination, slot) }
            }
        }
        for reference in pendingReferences(to: object) where reference.object !== object {
            reference.object._setDestination(other, reference.slot)
        }
        for link in changes.links(of: object) where link.member === object {
            link.owner.removeMember(object, link.slot)
            if link.isInsertion { link.owner.insertMember(other, link.slot) }
        }
        var parentChanges = ParentChanges(for: self)
        parentChanges.renamed(object, to: other.key)
        tellChildren(parentChanges)
        registry.remove(object)
        let wasDeleted = object._flags.contains(.deleted)
        if wasDeleted { changes.removeDeleted { $0 === object } }
        object.forward(to: other, in: self)
        if wasDeleted { delete(other) }
        noteAdoption(of: other)
    }
}

extension ManagedObject {
    /// Replaces an object in relationships that were read and not changed.
    fileprivate final func replaceReferences(to object: ManagedObject, by other: ManagedObject) {
        for slot in layout.relationshipSlots {
            switch layout.slots[slot].kind {
            case .toOne where _toOneField(at: slot).object === object:
                _assignToOne(_ToOneField(other), at: slot)
            case .toMany:
                // Unsaved changes were taken along before; the rest is read again.
                guard let state = _toManyState(at: slot), !state.hasPending, !state.isEdited else { continue }
                if self === other || state.contains(object) == true { _assignToMany(nil, at: slot) }
            default: break
            }
        }
    }

    /// Returns the id of another row of the object's entity.
    final func id(withKey key: Int64) -> ObjectID<ManagedObject> {
        let id: ObjectID<ManagedObject> = objectID
        return ObjectID(storeIdentifier: id.storeIdentifier, entityName: id.entityName, key: key)
    }

    /// Returns the slots in which a new object keeps its values if it stands for a stored row.
    final func slotsKept(against row: StoredRow, by type: MergePolicy.MergeType) -> [Int] {
        layout.slots.indices.filter { slot in
            guard let theirs = row.values[slot], layout.attribute(slot)?.isDerived != true else {
                return false
            }
            switch type {
            case .overwrite: return true
            case .mergeByPropertyObjectTrump: return isWritten(slot)
            case .mergeByPropertyStoreTrump: return isWritten(slot) && theirs.isNothing
            case .rollback, .error: return false
            }
        }
    }

    /// Restores properties to the values that were read.
    final func revert(_ names: [String]) {
        for name in names {
            // A path names an element of a composite, which goes back as a whole.
            guard let slot = layout.slotsByName[String(name.prefix { $0 != "." })] else { continue }
            switch read(slot) {
            case .value(let value): _ = _assign(value, at: slot)
            case .toOne(let field):
                let destination =
                    field.entity < 0 ? nil : owner?.object(entity: Int(field.entity), key: field.key)
                _setDestination(destination, slot)
            }
        }
    }
}

extension ChangeRecord.Original {
    fileprivate var isNothing: Bool {
        switch self {
        case .value(let value): value.isNull
        case .toOne(let field): field.isNone
        }
    }
}
