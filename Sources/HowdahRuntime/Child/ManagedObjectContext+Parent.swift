import HowdahModel

extension ManagedObjectContext {
    /// Returns the object that a child sees for this one; nil if it is about to be deleted here or was never
    /// known.
    func counterpart(of object: ManagedObject) -> ManagedObject? {
        let (root, key) = (object.layout.root, object.key)
        guard mayHave(key, root: root) else { return nil }
        let found = self.object(entity: object.layout.index, key: key)
        return found._flags.contains(.deleted) ? nil : found
    }

    /// Returns the object here that stands for one of the parent's, with its values if the parent has them.
    ///
    /// - Parameter refills: Indicates whether an object without changes gets the parent's present values.
    /// - Parameter filled: Collects the objects that got values.
    /// - Parameter refilled: Collects the objects that had others before.
    private func standIn(
        for source: ManagedObject, fills: Bool, refills: Bool, _ filled: inout [ManagedObject],
        _ refilled: inout [ManagedObject]
    ) -> ManagedObject {
        let object = object(entity: source.layout.index, key: source.key)
        guard fills, !source.isFault else { return object }
        if object.isFault || refills && !object.hasChanges {
            if !object.isFault { refilled.append(object) }
            fill(object, from: source)
            filled.append(object)
        }
        return object
    }

    /// Returns the objects for several of the parent's, as one cohort: if one of them loads later, all load.
    func standIns(
        for sources: [ManagedObject], fills: Bool = true, refills: Bool = false, isCohort: Bool = true
    ) -> [ManagedObject] {
        var (filled, refilled): ([ManagedObject], [ManagedObject]) = ([], [])
        let objects = sources.map {
            standIn(for: $0, fills: fills, refills: refills, &filled, &refilled)
        }
        if isCohort { makeCohorts(objects) }
        if !refilled.isEmpty { releaseMembers(of: refilled) }
        awaken(filled)
        return objects
    }

    private func makeCohorts(_ objects: [ManagedObject]) {
        guard objects.count > 1 else { return }
        for (root, members) in Dictionary(grouping: objects, by: \.layout.root) {
            let cohort = Cohort(root: root, keys: members.map(\.key))
            for object in members { object.cohort = cohort }
        }
    }

    // MARK: Values

    /// Fills faults from their counterparts in the parent.
    func fill(_ pairs: [(object: ManagedObject, source: ManagedObject)]) {
        registry.decoding { for (object, source) in pairs { fill(object, from: source) } }
        awaken(pairs.map(\.object))
    }

    private func fill(_ object: ManagedObject, from source: ManagedObject) {
        for slot in object.layout.slots.indices {
            guard let value = value(of: source, at: slot), !object.put(value, at: slot) else { continue }
            fail(object.untakenValue(at: slot))
        }
        object.version = source.version
        object._flags.subtract([.fault, .vanished, .partial])
        object._flags.insert(.filled)
        for slot in object.layout.transientSlots where object.layout.relationship(slot).isToMany {
            guard let state = source._toManyState(at: slot) else { continue }
            object.toManyState(slot).load(
                state.members.filter { !$0._flags.contains(.deleted) }.map {
                    self.object(entity: $0.layout.index, key: $0.key)
                })
        }
    }

    /// Returns the value here for a slot of one of the parent's objects; nil for to-manys.
    func value(of source: ManagedObject, at slot: Int) -> ChangeRecord.Original? {
        switch source.layout.slots[slot].kind {
        case .attribute: return .value(source._value(at: slot))
        case .toMany: return nil
        case .toOne(let relationship):
            // The other side of a one-to-one is looked up when it is asked for.
            if case .inverse = relationship.storage { return .toOne(.unknown) }
            return .toOne(field(source._toOneField(at: slot), relationship))
        }
    }

    private func field(_ field: _ToOneField, _ relationship: RelationshipLayout) -> _ToOneField {
        guard field.entity >= 0 else { return field }
        let key = field.key
        let destination =
            field.object ?? parent?.registry.find(root: layouts[Int(field.entity)].root, key: key)
        if let destination, destination._flags.contains(.deleted), !relationship.outlivesDestination(layouts)
        {
            return .none
        }
        // A temporary key changes, and only objects are told.
        let object = key < 0 ? object(entity: Int(field.entity), key: key) : nil
        return _ToOneField(key: key, entity: field.entity, object: object)
    }

    /// Returns one of the parent's objects as a stored row.
    func row(of source: ManagedObject) -> StoredRow {
        StoredRow(
            version: source.version,
            values: source.layout.slots.indices.map { slot in
                source.layout.slots[slot].columns.isEmpty ? nil : value(of: source, at: slot)
            })
    }
}
