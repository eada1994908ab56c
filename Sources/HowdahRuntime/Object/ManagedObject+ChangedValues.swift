public import HowdahModel

extension ManagedObject {
    /// The present values of the properties that changed since the object was fetched or saved, by name.
    ///
    /// Spelled as by ``value(forKey:)``; nil values are there as nil. Of a new object, what was set.
    ///
    /// Source: Core Data's `changedValues()`.
    public final func changedValues() -> [String: Any?] {
        Dictionary(uniqueKeysWithValues: changedPropertyNames.map { ($0, value(forKey: $0)) })
    }

    /// The values that properties had when the object was last fetched or saved, by name; empty for a new object.
    ///
    /// To-one relationships come as objects, to-many ones as arrays, which may load them.
    ///
    /// - Parameter names: the properties asked for; nil for all.
    ///
    /// Source: Core Data's `committedValues(forKeys:)`.
    public final func committedValues(forKeys names: [String]? = nil) -> [String: Any?] {
        if _flags.contains(.forwarding) { return resolved.committedValues(forKeys: names) }
        guard !_flags.contains(.inserted) else { return [:] }
        _willRead()
        var values: [String: Any?] = [:]
        for name in names ?? layout.slots.map(\.name) {
            guard let slot = layout.slotsByName[name] else {
                refuse("\(layout.name) has no property named '\(name)'; see its model.")
                continue
            }
            values[name] = committedValue(at: slot)
        }
        return values
    }

    /// Whether the next save would write something else than what is stored: false for an object whose properties
    /// were set to the values they have.
    ///
    /// Source: Core Data's `hasPersistentChangedValues`.
    public final var hasPersistentChangedValues: Bool {
        if _flags.contains(.forwarding) { return resolved.hasPersistentChangedValues }
        if _flags.contains(.inserted) { return layout.slots.indices.contains(where: isWritten) }
        return !changedColumnSlots.isEmpty || !editedLists.isEmpty
    }

    /// Whether reading a relationship would ask the database.
    ///
    /// Source: Core Data's `hasFault(forRelationshipNamed:)`.
    public final func hasFault(forRelationshipNamed name: String) -> Bool {
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
    public final func objectIDs(forRelationshipNamed name: String) -> [ObjectID<ManagedObject>] {
        if _flags.contains(.forwarding) { return resolved.objectIDs(forRelationshipNamed: name) }
        guard let slot = relationshipSlot(name) else { return [] }
        if case .toMany = layout.slots[slot].kind { return membersOf(slot).map(\.objectID) }
        return destination(slot).map { [$0.objectID] } ?? []
    }

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

    private final func relationshipSlot(_ name: String) -> Int? {
        guard let slot = layout.slotsByName[name], layout.slots[slot].relationship != nil else {
            refuse("\(layout.name) has no relationship named '\(name)'; see its model.")
            return nil
        }
        return slot
    }

    private final func committedValue(at slot: Int) -> Any? {
        let original = changes?.originals.first { $0.slot == slot }?.original ?? original(at: slot)
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            guard case .value(let value) = original else { return nil }
            return ValueCoding.any(value, of: attribute.type, path: [])
        case .toOne(let relationship):
            guard case .toOne(let field) = original else { return nil }
            if case .foreignKey = relationship.storage { return committedDestination(field) }
            guard let context = managedObjectContext else { return destination(slot) }
            return context.committedPartner(of: self, relationship)
        case .toMany(let relationship):
            return managedObjectContext?.committedMembers(of: self, relationship) ?? []
        }
    }

    private final func committedDestination(_ field: ToOneField) -> ManagedObject? {
        guard field.object == nil, field.entity >= 0 else { return field.object }
        return owner?.object(entity: Int(field.entity), key: field.key)
    }
}

extension ToOneField {
    func leadsWhere(_ other: ToOneField) -> Bool {
        if isNone || other.isNone { return isNone && other.isNone }
        return (object?.key ?? key) == (other.object?.key ?? other.key) && entity == other.entity
    }
}
