public import HowdahModel

extension ManagedObjectIdentity {
    /// The present values of the properties that changed since the object was fetched or saved, by name.
    ///
    /// Spelled as by ``value(forKey:)``; nil values are there as nil. Of a new object, everything that was set: by you, by the initial
    /// values of its class, by its hooks, and through an inverse; to-manys if they have members. Defaults of the model are left out.
    ///
    /// Source: Core Data's `changedValues()`.
    public func changedValues() -> [String: Any?] {
        Dictionary(uniqueKeysWithValues: changedPropertyNames.map { ($0, value(forKey: $0)) })
    }

    /// Whether the next save would write something else than what is stored: false for an object whose properties
    /// were set to the values they have. Of a new object, which the save inserts in any case, whether a property was set.
    ///
    /// Source: Core Data's `hasPersistentChangedValues`.
    @_disfavoredOverload public var hasPersistentChangedValues: Bool {
        if _flags.contains(.forwarding) { return resolved.hasPersistentChangedValues }
        if _flags.contains(.inserted) { return layout.slots.indices.contains(where: isWritten) }
        return !changedColumnSlots.isEmpty || !editedLists.isEmpty
    }

    /// Whether reading a relationship would ask the database.
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

    /// The ids of the objects that a relationship leads to; the destination of a to-one is not loaded for that.
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
    /// The slots whose value differs from the one that was read; setting a value to itself is no change, so that it
    /// neither moves the version nor meets a conflict.
    final var changedSlots: [Int] {
        (changes?.originals ?? []).filter { slot, original in
            switch original {
            case .value(let value): !value.isIdentical(to: _value(at: slot))
            case .toOne(let field): !field.leadsWhere(_toOneField(at: slot))
            }
        }
        .map(\.slot).sorted()
    }

    /// Those of ``changedSlots`` that the row has columns for.
    final var changedColumnSlots: [Int] { changedSlots.filter { !layout.slots[$0].columns.isEmpty } }

    fileprivate final func relationshipSlot(_ name: String) -> Int? {
        guard let slot = layout.slotsByName[name], layout.slots[slot].relationship != nil else {
            refuse("\(layout.name) has no relationship named '\(name)'; see its model.")
            return nil
        }
        return slot
    }
}

extension ToOneField {
    func leadsWhere(_ other: ToOneField) -> Bool {
        if isNone || other.isNone { return isNone && other.isNone }
        return key == other.key && entity == other.entity
    }
}
