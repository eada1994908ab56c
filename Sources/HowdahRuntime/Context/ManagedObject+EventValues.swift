import HowdahModel

extension ManagedObjectIdentity {
    /// Returns the values that properties had before they changed in the present event, by name.
    ///
    /// They have the form of ``value(forKey:)``. If you set a property back to its old value, it is not
    /// included.
    ///
    /// An event ends with ``ManagedObjectContext/processPendingChanges()`` and with a save. If the context
    /// has no ``ManagedObjectContext/undoManager`` and nothing else records events, all changes since the
    /// last fetch or save count. To-many relationships are arrays; reading them may load them.
    ///
    /// Source: Core Data's `changedValuesForCurrentEvent()`.
    public func changedValuesForCurrentEvent() -> [String: Any?] {
        if _flags.contains(.forwarding) { return resolved.changedValuesForCurrentEvent() }
        guard let context = managedObjectContext else { return [:] }
        guard let event = context.event else {
            return isInserted ? [:] : committedValues(forKeys: changedPropertyNames)
        }
        var values: [String: Any?] = [:]
        let written = event.written(self)
        for (slot, original) in written?.originals ?? [] where !original.isSame(as: self.original(at: slot)) {
            values[layout.slots[slot].name] = formerValue(original, at: slot)
        }
        for slot in layout.relationshipSlots {
            guard case .toMany(let relationship) = layout.slots[slot].kind else { continue }
            let name = layout.slots[slot].name
            if let list = written?.lists.first(where: { $0.slot == slot }), let members = list.members {
                if !members.elementsEqual(membersOf(slot), by: ===) { values[name] = members }
            } else if let members = formerMembers(of: relationship, event) {
                values[name] = members
            }
        }
        return values
    }
}

extension ManagedObject {
    fileprivate final func formerValue(_ original: ChangeRecord.Original, at slot: Int) -> Any? {
        switch (original, layout.slots[slot].kind) {
        case (.value(let value), .attribute(let attribute)): ValueCoding.any(value, of: attribute.type)
        case (.toOne(let field), _):
            field.object
                ?? (field.entity < 0 ? nil : owner?.object(entity: Int(field.entity), key: field.key))
        default: nil
        }
    }

    /// Returns the members before the event; nil if they are the same.
    fileprivate final func formerMembers(
        of relationship: RelationshipLayout, _ event: ContextEvent
    ) -> [ManagedObject]? {
        var wasMember: [ObjectIdentifier: (object: ManagedObject, Bool)] = [:]
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            let family = owner?.layouts[relationship.destination].family ?? []
            for entry in event.written where family.contains(entry.object.layout.index) {
                guard case .toOne(let field)? = entry.originals.first(where: { $0.slot == inverse })?.original
                else { continue }
                wasMember[ObjectIdentifier(entry.object)] = (entry.object, field.leads(to: self))
            }
        } else {
            for link in event.links {
                let other: ManagedObject
                if link.owner === self, link.slot == relationship.slot {
                    other = link.member
                } else if link.member === self,
                    link.owner.layout.relationship(link.slot).inverse == relationship.slot
                {
                    other = link.owner
                } else {
                    continue
                }
                // The first change of a pair tells what was before.
                if wasMember[ObjectIdentifier(other)] == nil {
                    wasMember[ObjectIdentifier(other)] = (other, !link.isInsertion)
                }
            }
        }
        if wasMember.isEmpty { return nil }
        let present = membersOf(relationship.slot)
        let known = Set(present.map(ObjectIdentifier.init))
        let former = present.filter { wasMember[ObjectIdentifier($0)]?.1 != false }
        let left = wasMember.values.filter { $0.1 && !known.contains(ObjectIdentifier($0.object)) }
        return former.count == present.count && left.isEmpty ? nil : former + left.map(\.object)
    }
}

extension _ToOneField {
    fileprivate func leads(to owner: ManagedObject) -> Bool {
        !isNone && (object.map { $0 === owner } ?? (entity >= 0 && key == owner.key))
    }
}
