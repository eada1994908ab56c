import HowdahModel

extension ManagedObjectContext {
    /// Returns the objects that are not about to be deleted, as the requested type.
    func visible<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object] {
        typed(deleted.isEmpty ? objects : objects.filter { !$0._flags.contains(.deleted) }, of: layout)
    }

    package func typed<Object: ManagedObject>(_ objects: [ManagedObject], of layout: EntityLayout) -> [Object]
    {
        guard store.classes.areAll(Object.self, in: layout) else {
            return objects.compactMap { $0 as? Object }
        }
        // All are Objects, and arrays of references have one layout; casting each would cost as much as making it.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Loads the to-one destinations of many owners, and assigns each owner its own.
    package func loadDestinations(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String = ""
    ) throws {
        try loading { try findDestinations(of: owners, relationship, comment) }
    }

    private func findDestinations(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, _ comment: String
    ) throws {
        let slot = relationship.slot
        if case .foreignKey = relationship.storage {
            var faults: [ObjectIdentifier: ManagedObject] = [:]
            try load(owners.filter { !$0.holds(slot) }, comment: comment)
            for owner in owners {
                guard let destination = owner.destination(slot), destination._flags.contains(.fault) else {
                    continue
                }
                faults[ObjectIdentifier(destination)] = destination
            }
            if !faults.isEmpty { try load(Array(faults.values), comment: comment) }
            return
        }
        guard !owners.isEmpty else { return }
        let found = try backing.members(of: owners, relationship, comment: comment, in: self)
        for (owner, stored) in zip(owners, found) where owner._toOneField(at: slot).isUnknown {
            let destination = stored.first { stillBelongs($0, to: owner, relationship) }
            owner._assignToOne(
                destination.map { _ToOneField(key: $0.key, entity: Int32($0.layout.index), object: $0) }
                    ?? .none,
                at: slot)
            if let destination { noteReference(of: owner, slot, to: destination) }
        }
    }

    /// Loads the members of a to-many relationship for many owners, in one statement.
    package func loadMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, comment: String = ""
    ) throws {
        try loading { try findMembers(of: owners, relationship, comment) }
    }

    private func findMembers(
        of owners: [ManagedObject], _ relationship: RelationshipLayout, _ comment: String
    ) throws {
        let waiting = owners.filter {
            !$0._flags.contains(.inserted) && !$0.toManyState(relationship.slot).isLoaded
        }
        guard !waiting.isEmpty else { return }
        // The owner's version stands for its members; one read later than they would hide a change between.
        if relationship.isKeptByOwner {
            try load(waiting.filter { $0._flags.contains(.fault) }, comment: comment)
        }
        let found = try backing.members(of: waiting, relationship, comment: comment, in: self)
        let mayDiffer = hasChanges
        for (owner, stored) in zip(waiting, found) {
            let members = mayDiffer ? stored.filter { stillBelongs($0, to: owner, relationship) } : stored
            owner.toManyState(relationship.slot).load(members)
        }
    }

    /// Counts the members of a to-many relationship for many owners, in one statement.
    func countMembers(of owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        try backing.countMembers(of: owners, relationship, in: self)
    }

    /// Returns a Boolean value that indicates whether a stored member is still one in memory.
    ///
    /// An unsaved change may have given it another owner.
    private func stillBelongs(
        _ member: ManagedObject, to owner: ManagedObject, _ relationship: RelationshipLayout
    ) -> Bool {
        if member._flags.contains(.deleted) { return false }
        guard let inverse = relationship.inverse, !relationship.inverseIsToMany, member.isWritten(inverse)
        else {
            return true
        }
        let field = member._toOneField(at: inverse)
        return field.entity >= 0 && (field.object === owner || field.key == owner.key)
    }
}
