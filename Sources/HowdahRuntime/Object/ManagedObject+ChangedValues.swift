public import HowdahModel

extension ManagedObjectIdentity {
    /// Returns the present values of the properties that changed since the object was fetched or saved, by
    /// name.
    ///
    /// The values have the form of ``value(forKey:)``; nil values are included as nil. For a new object, the
    /// result has all values that you, its class's initial values, its hooks or an inverse set. To-manys are
    /// included if they have members. Defaults of the model are left out.
    ///
    /// Source: Core Data's `changedValues()`.
    public func changedValues() -> [String: Any?] {
        Dictionary(uniqueKeysWithValues: changedPropertyNames.map { ($0, value(forKey: $0)) })
    }

    /// A Boolean value that indicates whether the next save would change stored values.
    ///
    /// It is false if you set the properties of a saved object to the values that they had. For a new object,
    /// which a save always inserts, it indicates whether a property was set.
    ///
    /// Source: Core Data's `hasPersistentChangedValues`.
    @_disfavoredOverload public var hasPersistentChangedValues: Bool {
        if _flags.contains(.forwarding) { return resolved.hasPersistentChangedValues }
        if _flags.contains(.inserted) { return layout.slots.indices.contains(where: isWritten) }
        return !changedColumnSlots.isEmpty || !editedLists.isEmpty
    }

    /// Returns a Boolean value that indicates whether reading a relationship would query the database.
    ///
    /// If the entity has no relationship of that name, the result is false and the context fails.
    ///
    /// Source: Core Data's `hasFault(forRelationshipNamed:)`.
    public func hasFault(forRelationshipNamed name: String) -> Bool {
        if _flags.contains(.forwarding) { return resolved.hasFault(forRelationshipNamed: name) }
        guard let slot = relationshipSlot(name) else { return false }
        if !holds(slot) { return true }
        if case .toMany = layout.slots[slot].kind {
            return !_flags.contains(.inserted) && _toManyState(at: slot)?.isLoaded != true
        }
        let field = _toOneField(at: slot)
        return field.isUnknown || field.object?.isFault ?? !field.isNone
    }

    /// Returns the ids of a relationship's objects, without loading the destination of a to-one.
    ///
    /// If the entity has no relationship of that name, the result is empty and the context fails.
    ///
    /// Source: Core Data's `objectIDs(forRelationshipNamed:)`.
    public func objectIDs(forRelationshipNamed name: String) -> [ObjectID<ManagedObject>] {
        if _flags.contains(.forwarding) { return resolved.objectIDs(forRelationshipNamed: name) }
        guard let slot = relationshipSlot(name) else { return [] }
        if case .toMany = layout.slots[slot].kind { return membersOf(slot).map(\.objectID) }
        return destination(slot).map { [$0.objectID] } ?? []
    }
}

extension ManagedObject {
    /// The slots whose present value differs from the value that was read.
    ///
    /// If you set a value to itself, that is not a change: it neither moves the version nor causes a
    /// conflict.
    final var changedSlots: [Int] {
        changedSlots { _ in true }
    }

    /// The slots of ``changedSlots`` that have columns in the row.
    final var changedColumnSlots: [Int] { changedSlots { !layout.slots[$0].columns.isEmpty } }

    private final func changedSlots(where isWanted: (Int) -> Bool) -> [Int] {
        guard let originals = changes?.originals else { return [] }
        var slots: [Int] = []
        for (slot, original) in originals {
            let isChanged =
                switch original {
                case .value(let value): !value.isIdentical(to: _value(at: slot))
                case .toOne(let field): !field.leadsWhere(_toOneField(at: slot))
                }
            if isChanged, isWanted(slot) { slots.append(slot) }
        }
        if slots.count > 1 { slots.sort() }
        return slots
    }

    fileprivate final func relationshipSlot(_ name: String) -> Int? {
        guard let slot = layout.slotsByName[name], layout.slots[slot].relationship != nil else {
            refuse("\(layout.name) has no relationship named '\(name)'. Correct the name.")
            return nil
        }
        return slot
    }
}

extension _ToOneField {
    func leadsWhere(_ other: _ToOneField) -> Bool {
        if isNone || other.isNone { return isNone && other.isNone }
        return key == other.key && entity == other.entity
    }
}
