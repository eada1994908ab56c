import HowdahModel

extension ManagedObjectContext {
    /// Whether there may be an object of a key: a temporary one names an object of this context or one above.
    func mayHave(_ key: Int64, root: Int) -> Bool {
        key >= 0 || registry.find(root: root, key: key) != nil
            || parent?.mayHave(key, root: root) ?? false
    }

    /// What a child sees of this object: itself, unless it is about to be deleted here or was never known.
    func counterpart(of object: ManagedObject) -> ManagedObject? {
        let (root, key) = (object.layout.root, object.key)
        guard mayHave(key, root: root) else { return nil }
        let found = self.object(entity: object.layout.index, key: key)
        return found._flags.contains(.deleted) ? nil : found
    }

    /// The object here that stands for one of the parent's, with its values where the parent has them.
    ///
    /// - Parameter refills: whether an object without changes gets the parent's present values.
    /// - Parameter filled: takes the objects that got values.
    func standIn(
        for source: ManagedObject, fills: Bool = true, refills: Bool = false,
        _ filled: inout [ManagedObject]
    ) -> ManagedObject {
        let object = object(entity: source.layout.index, key: source.key)
        guard fills, !source.isFault else { return object }
        if object.isFault || refills && !object.hasChanges {
            if refills { object.releaseMembers() }
            fill(object, from: source)
            filled.append(object)
        }
        return object
    }

    /// Several at once, as they come out of one question: what one of them needs later, all of them get.
    func standIns(
        for sources: [ManagedObject], fills: Bool = true, refills: Bool = false, isCohort: Bool = true
    ) -> [ManagedObject] {
        var filled: [ManagedObject] = []
        let objects = sources.map { standIn(for: $0, fills: fills, refills: refills, &filled) }
        if isCohort { makeCohorts(objects) }
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

    private func awaken(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        unobserved { for object in objects { object.awakeFromFetch() } }
    }

    // MARK: Values

    private func fill(_ object: ManagedObject, from source: ManagedObject) {
        for slot in object.layout.slots.indices {
            if let value = value(of: source, at: slot) { object.put(value, at: slot) }
        }
        object.version = source.version
        object._flags.subtract([.fault, .vanished, .partial])
        for slot in object.layout.transientSlots where object.layout.relationship(slot).isToMany {
            guard let state = source._toManyState(at: slot) else { continue }
            object.toManyState(slot).load(
                state.members.filter { !$0._flags.contains(.deleted) }.map {
                    self.object(entity: $0.layout.index, key: $0.key)
                })
        }
    }

    /// What a slot of one of the parent's objects is here; nil for to-manys.
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

    private func field(_ field: ToOneField, _ relationship: RelationshipLayout) -> ToOneField {
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
        return ToOneField(key: key, entity: field.entity, object: object)
    }

    /// One of the parent's objects in the shape of what a store holds.
    func row(of source: ManagedObject) -> StoredRow {
        StoredRow(
            version: source.version,
            values: source.layout.slots.indices.map { slot in
                source.layout.slots[slot].columns.isEmpty ? nil : value(of: source, at: slot)
            })
    }

    // MARK: What objects ask for

    /// Fills faults with what the parent has or loads; those that it lacks stay faults.
    func loadFromParent(_ faults: [ManagedObject]) throws {
        guard let parent else { return }
        try parent.answering {
            let pairs = faults.compactMap { object in parent.counterpart(of: object).map { (object, $0) } }
            let waiting = pairs.map(\.1).filter(\.isFault)
            if !waiting.isEmpty { try parent.load(waiting) }
            var filled: [ManagedObject] = []
            for (object, source) in pairs where object.isFault && !source.isFault && !source.isDetached {
                fill(object, from: source)
                filled.append(object)
            }
            awaken(filled)
        }
    }

    /// The members that the parent has, unsaved changes included, in the order of the owners.
    func membersFromParent(
        of owners: [ManagedObject], _ relationship: RelationshipLayout
    ) throws -> [[ManagedObject]] {
        guard let parent else { return [] }
        let slot = relationship.slot
        let sources = owners.map(parent.counterpart)
        let found = try parent.answering {
            try parent.loadMembers(of: sources.compactMap(\.self), relationship)
            return sources.map { $0?.membersOf(slot).filter { !$0._flags.contains(.deleted) } ?? [] }
        }
        var rest = standIns(for: found.flatMap(\.self))[...]
        return zip(owners, found).map { owner, sources in
            let members = Array(rest.prefix(sources.count))
            rest = rest.dropFirst(sources.count)
            if relationship.isOrdered { owner.toManyState(slot).number(members) }
            return members
        }
    }

    /// The other sides of one-to-ones, as lists of at most one, in the order of the owners.
    func partnersFromParent(
        of owners: [ManagedObject], _ relationship: RelationshipLayout
    ) throws -> [[ManagedObject]] {
        guard let parent else { return [] }
        let sources = owners.map(parent.counterpart)
        let found = try parent.answering {
            let stored = sources.compactMap(\.self).filter { !$0._flags.contains(.inserted) }
            try parent.load(stored.filter(\.isFault))
            try parent.loadDestinations(of: stored, relationship)
            return sources.map { source in
                source?.destination(relationship.slot).flatMap { $0._flags.contains(.deleted) ? nil : $0 }
            }
        }
        var rest = standIns(for: found.compactMap(\.self))[...]
        return found.map { $0 == nil ? [] : [rest.removeFirst()] }
    }

    /// Gives owners the number of members that the parent has, without loading them where nothing is about to be deleted.
    func countMembersInParent(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        guard let parent else { return }
        let slot = relationship.slot
        try parent.answering {
            let sources = owners.map(parent.counterpart)
            let unknown = sources.compactMap(\.self).filter { source in
                let state = source.toManyState(slot)
                return !state.isLoaded && state.storedCount == nil
            }
            let mayHide = !parent.deletedObjects.isEmpty || parent.inserted.contains(where: \.isDeleted)
            if !mayHide, !unknown.isEmpty { try parent.countMembers(of: unknown, relationship) }
            for (owner, source) in zip(owners, sources) {
                owner.toManyState(slot).storedCount =
                    mayHide
                    ? source?.membersOf(slot).count { !$0._flags.contains(.deleted) } ?? 0
                    : source?.countOfMembers(slot) ?? 0
            }
        }
    }

    /// Whether the parent has a member in a to-many, without loading the others.
    func parentHolds(_ member: ManagedObject, of object: ManagedObject, slot: Int) throws -> Bool {
        guard let parent, let owner = parent.counterpart(of: object),
            let member = parent.counterpart(of: member)
        else { return false }
        return try parent.answering { owner.hasMember(member, slot) }
    }

    /// Has the parent give permanent ids to those of its new objects that these stand for.
    func obtainFromParent(_ objects: [ManagedObject]) throws {
        guard let parent else { return }
        let sources = objects.filter { $0.owner === self && $0.key < 0 && !$0._flags.contains(.inserted) }
            .compactMap(parent.counterpart)
        if !sources.isEmpty { try parent.obtainPermanentIDs(for: sources) }
    }
}
