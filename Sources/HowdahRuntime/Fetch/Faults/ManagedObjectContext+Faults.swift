import HowdahModel
import PQClient

extension ManagedObjectContext: FaultSource {
    func fulfill(_ object: ManagedObject) {
        guard failure == nil else { return }
        guarded {
            let comment = object.cohort?.comment ?? ""
            try load(for: object, until: { !object._flags.contains(.fault) }) { isFirst in
                let faults = isFirst ? step(from: object) { $0._flags.contains(.fault) } : [object]
                noteStep(faults.count, from: object, names(of: object.cohort?.origin))
                try load(faults, comment: comment)
                guard object._flags.contains(.fault) else { return }
                object._flags.insert(.vanished)
                guard shouldDeleteInaccessibleFaults else { throw object.notFound }
                object._flags.remove(.fault)
                object._flags.insert(.deleted)
            }
        }
    }

    func destination(of object: ManagedObject, slot: Int, field: _ToOneField) -> ManagedObject? {
        let layout = layouts[Int(field.entity)]
        if let known = registry.find(root: layout.root, key: field.key) { return known }
        prepareDestinations(of: object, slot: slot, root: layout.root)
        return self.object(entity: Int(field.entity), key: field.key)
    }

    func lookUpDestination(of object: ManagedObject, slot: Int) -> _ToOneField {
        guard failure == nil else { return .unknown }
        let relationship = object.layout.relationship(slot)
        guarded {
            try load(for: object, until: { !object._toOneField(at: slot).isUnknown }) { isFirst in
                let owners =
                    isFirst
                    ? step(from: object) { $0.layout.has(relationship) && $0._toOneField(at: slot).isUnknown }
                    : [object]
                noteStep(owners.count, from: object, (object.layout.name, relationship.name))
                try loadDestinations(of: owners, relationship)
            }
        }
        return object._toOneField(at: slot)
    }

    package func loadMembers(of object: ManagedObject, slot: Int, state: _ToManyState) {
        guard failure == nil else { return }
        let relationship = object.layout.relationship(slot)
        guarded {
            try load(for: object, until: { object.toManyState(slot).isLoaded }) { isFirst in
                let owners = isFirst ? ownersWithoutMembers(from: object, relationship) : [object]
                noteStep(owners.count, from: object, (object.layout.name, relationship.name))
                do {
                    try loadMembers(of: owners, relationship)
                } catch let error as FetchError where error.code == .tooManyRows && owners.count > 1 {
                    // Together they are too many; alone this one may fit.
                    try loadMembers(of: [object], relationship)
                }
            }
        }
    }

    func countMembers(of object: ManagedObject, slot: Int, state: _ToManyState) -> Int {
        guard failure == nil else { return 0 }
        let relationship = object.layout.relationship(slot)
        guarded {
            let owners = ownersWithoutMembers(from: object, relationship).filter {
                $0._toManyState(at: slot)?.storedCount == nil
            }
            noteStep(owners.count, from: object, (object.layout.name, relationship.name))
            try countMembers(of: owners, relationship)
        }
        return state.storedCount ?? 0
    }

    func holdsMember(_ member: ManagedObject, of object: ManagedObject, slot: Int) -> Bool {
        guard failure == nil else { return false }
        var isMember = false
        guarded {
            isMember = try backing.holds(member, of: object, object.layout.relationship(slot), in: self)
        }
        return isMember
    }

    /// A Boolean value that indicates whether a fault without a row becomes a deleted object; false by
    /// default.
    ///
    /// If it is false, such a fault fails the context. If it is true, the fault becomes a deleted object with
    /// zero values. The next save does not write it, and it deletes nothing. If you set it to true after a
    /// fault without a row was found, that failure is cleared.
    ///
    /// Source: Core Data's `shouldDeleteInaccessibleFaults`, which is true by default.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { settings.shouldDeleteInaccessibleFaults }
        set {
            changeSetting(\.shouldDeleteInaccessibleFaults, to: newValue)
            if newValue { acceptInaccessibleFaults() }
        }
    }

    /// Clears the failure of a fault without a row. Such faults become deleted objects on their next access.
    private func acceptInaccessibleFaults() {
        guard let error = failure as? FetchError, error.code == .objectNotFound else { return }
        clearFailure()
        // The one above may have failed by itself.
        if let above = root.failure as? FetchError, above.code == error.code,
            above.objectURI == error.objectURI
        {
            root.clearFailure()
        }
    }

    /// Runs a load for an accessor, which cannot throw. If the load throws, the context is marked as failed.
    func guarded(_ load: () throws -> Void) {
        do {
            try load()
        } catch {
            noteFailure(store.readError(error))
            // A run of `perform` must not end well on values that never arrived.
            if root.unit != nil, let failure { root.noteFailure(failure) }
        }
    }

    /// Reports a step that loads for several objects, if anything observes the store.
    ///
    /// - Parameter load: The entity and the relationship that were read; nil for the object's own values.
    private func noteStep(
        _ count: Int, from object: ManagedObject,
        _ load: @autoclosure () -> (entity: String, relationship: String)?
    ) {
        guard count > 1, store.events.isOn else { return }
        let load = load()
        let tag = object.cohort.flatMap { StatementSubject(.select, comment: $0.site).tag }
        store.events.emit(
            .cohortStep(
                .init(
                    entityName: load?.entity ?? object.layout.name, relationshipName: load?.relationship,
                    count: count, tag: tag)))
    }

    /// Returns the entity and the relationship of an origin.
    private func names(of origin: Cohort.DestinationKey?) -> (entity: String, relationship: String)? {
        origin.map { (layouts[$0.entity].name, layouts[$0.entity].slots[$0.slot].name) }
    }

    /// Returns the living objects of a cohort that one step covers, beginning with the accessed object.
    private func step(from object: ManagedObject, where needsIt: (ManagedObject) -> Bool) -> [ManagedObject] {
        guard let cohort = object.cohort else { return [object] }
        var owners = [object]
        let (ahead, behind) = cohort.keys(from: object.key)
        for keys in [ahead, behind] {
            for key in keys where owners.count < cohort.stepLimit {
                guard let other = registry.find(root: cohort.root, key: key), other !== object else {
                    continue
                }
                if needsIt(other) { owners.append(other) }
            }
        }
        return owners
    }

    private func ownersWithoutMembers(
        from object: ManagedObject, _ relationship: RelationshipLayout
    ) -> [ManagedObject] {
        step(from: object) {
            $0.layout.has(relationship) && !$0._flags.contains(.inserted)
                && $0._toManyState(at: relationship.slot)?.isLoaded != true
        }
    }

    /// Returns the first entity of the hierarchy that has a relationship, for all entities that inherit it.
    private func declaring(_ relationship: RelationshipLayout, of layout: EntityLayout) -> Int {
        layouts[layout.root].family.first { layouts[$0].has(relationship) } ?? layout.index
    }

    /// Creates faults for the references of a cohort, so that the first access loads them all.
    private func prepareDestinations(of object: ManagedObject, slot: Int, root: Int) {
        guard let cohort = object.cohort else { return }
        let relationship = object.layout.relationship(slot)
        let owners = step(from: object) {
            guard $0.layout.has(relationship), $0.holds(slot) else { return false }
            let field = $0._toOneField(at: slot)
            return field.object == nil && field.entity >= 0
        }
        var keys: [Int64] = []
        var faults: [ManagedObject] = []
        for owner in owners {
            var field = owner._toOneField(at: slot)
            guard layouts[Int(field.entity)].root == root else { continue }
            let destination = self.object(entity: Int(field.entity), key: field.key)
            if destination._flags.contains(.fault), destination.cohort == nil {
                keys.append(field.key)
                faults.append(destination)
            }
            field.object = destination
            owner._assignToOne(field, at: slot)
            noteReference(of: owner, slot, to: destination)
        }
        let place = Cohort.DestinationKey(entity: declaring(relationship, of: object.layout), slot: slot)
        let destinations =
            cohort.destinations[place]
            ?? Cohort(root: root, keys: [], site: cohort.site, reachedBy: place)
        destinations.insert(keys)
        cohort.destinations[place] = destinations
        for fault in faults { fault.cohort = destinations }
    }
}
