import HowdahModel

/// The objects of a context that differ from the store, with the differing properties.
struct UnsavedObjects {
    private var changed: [ManagedObject] = []
    /// The changed properties without a column. Other objects' foreign keys, or pairs, determine them.
    private var gained: [(object: ManagedObject, name: String)] = []

    /// - Parameter withDestinations: Indicates whether to find relationships that changed without their
    ///   object's row.
    init(_ context: ManagedObjectContext, withDestinations: Bool) {
        var isKnown: Set<ObjectIdentifier> = []
        for object in context.insertedObjects + context.updatedObjects + context.deletedObjects
        where isKnown.insert(ObjectIdentifier(object)).inserted {
            changed.append(object)
        }
        guard withDestinations else { return }
        for object in changed where !object._flags.contains(.deleted) {
            for slot in object.layout.relationshipSlots {
                guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                    case .foreignKey = relationship.storage,
                    object._flags.contains(.inserted) || object.isWritten(slot),
                    let inverse = relationship.inverse, let destination = object.destination(slot)
                else { continue }
                gained.append((destination, destination.layout.slots[inverse].name))
            }
        }
        for link in context.links.all {
            gained.append((link.owner, link.owner.layout.slots[link.slot].name))
            if let inverse = link.inverse {
                gained.append((link.member, link.member.layout.slots[inverse].name))
            }
        }
    }

    /// Returns the objects of some entities for which a read of these properties may differ.
    func objects(of entities: Set<Int>, readBy names: Set<String>) -> [ManagedObject] {
        var found: [ManagedObject] = []
        var isKnown: Set<ObjectIdentifier> = []
        for object in changed where entities.contains(object.layout.index) {
            let differs =
                object._flags.contains(.inserted) || object._flags.contains(.deleted)
                || names.contains { object.layout.slotsByName[$0].map(object.isWritten) ?? false }
            if differs, isKnown.insert(ObjectIdentifier(object)).inserted { found.append(object) }
        }
        for (object, name) in gained
        where entities.contains(object.layout.index) && names.contains(name)
            && isKnown.insert(ObjectIdentifier(object)).inserted
        {
            found.append(object)
        }
        return found
    }
}

extension ManagedObjectContext {
    /// A Boolean value that indicates whether there are unsaved changes. It is cheap, and sometimes true
    /// without one.
    var hasUnsavedObjects: Bool { !changes.isEmpty }
}
