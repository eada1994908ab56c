import HowdahModel

extension ManagedObjectContext {
    /// The objects that are not about to be deleted, as what they were asked for.
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

    /// Runs a load, at whose end the objects that it filled are told; inside of another load, at the end of that one.
    ///
    /// What hooks change or let go of then is what the load made of it, with every change of the program's in place.
    func loading<T>(_ body: () throws -> T) rethrows -> T {
        registry.beginLoad()
        defer { for objects in registry.endLoad() { awaken(objects) } }
        return try body()
    }

    /// Runs a load for another context, which takes the values afterwards: what hooks have made of them.
    ///
    /// - Parameter wanted: the objects of the result whose values are taken. If hooks have made faults of them, they are loaded
    ///   once more, without hooks; those without a row stay faults.
    func loading<T>(keeping wanted: (T) -> [ManagedObject], _ body: () throws -> T) throws -> T {
        var filled: [ManagedObject] = []
        let result = try loading {
            let result = try body()
            filled = wanted(result).filter { !$0.isFault }
            return result
        }
        let again = filled.filter { $0.isFault && $0.owner === self }
        if again.isEmpty { return result }
        registry.beginLoad()
        defer { _ = registry.endLoad() }
        try backing.fill(again, comment: "", in: self)
        return result
    }

    /// Loads what an accessor of an object asks for.
    ///
    /// Hooks of the objects that are filled may let go of it again. It is then loaded once more, and the third time without
    /// calling them.
    ///
    /// - Parameter body: a load; its argument says whether it is the first one, which others may share.
    func load(
        for object: ManagedObject, until isThere: () -> Bool, _ body: (_ isFirst: Bool) throws -> Void
    ) throws {
        for isFirst in [true, false] {
            try loading { try body(isFirst) }
            if isThere() || object.owner !== self { return }
        }
        registry.beginLoad()
        defer { _ = registry.endLoad() }
        try body(false)
    }

    /// Tells objects that they got their values; at the end of the load, if one is under way.
    func awaken(_ objects: [ManagedObject]) {
        if objects.isEmpty { return }
        if registry.isLoading { return registry.noteFilled(objects) }
        // What an object makes of what it read is no change of the program's.
        unobserved {
            // One that a hook before has made a fault is told when it is filled again, and then not once more.
            for object in objects where object._flags.isDisjoint(with: [.fault, .detached]) {
                if object._flags.remove(.filled) != nil { object.awakeFromFetch() }
            }
        }
    }

    /// Fills faults from the backing, a statement per hierarchy; those whose rows are gone stay faults.
    ///
    /// - Parameter comment: what stands behind each statement, to say whose it is.
    package func load(_ faults: [ManagedObject], comment: String = "") throws {
        try loading { try backing.fill(faults, comment: comment, in: self) }
    }

    /// Loads the to-one destinations of many owners, and gives each owner its own.
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
                destination.map { ToOneField(key: $0.key, entity: Int32($0.layout.index), object: $0) }
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

    /// Whether a stored member is still one in memory: an unsaved change may have given it another owner.
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
