import HowdahModel

extension ManagedObjectIdentity {
    /// Returns the values that properties had when the object was last fetched or saved, by name; empty for a
    /// new object.
    ///
    /// To-one relationships are objects and to-many ones arrays; reading them may load them.
    ///
    /// - Parameter names: The names of the properties; nil for all.
    ///
    /// Source: Core Data's `committedValues(forKeys:)`.
    public func committedValues(forKeys names: [String]? = nil) -> [String: Any?] {
        if _flags.contains(.forwarding) { return resolved.committedValues(forKeys: names) }
        guard !_flags.contains(.inserted) else { return [:] }
        _willRead()
        var values: [String: Any?] = [:]
        for name in names ?? layout.slots.map(\.name) {
            guard let slot = layout.slotsByName[name] else {
                refuse("\(layout.name) has no property named '\(name)'. Correct the name.")
                continue
            }
            values[name] = committedValue(at: slot)
        }
        return values
    }
}

extension ManagedObject {
    fileprivate final func committedValue(at slot: Int) -> Any? {
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

    fileprivate final func committedDestination(_ field: _ToOneField) -> ManagedObject? {
        guard field.object == nil, field.entity >= 0 else { return field.object }
        return owner?.object(entity: Int(field.entity), key: field.key)
    }
}
