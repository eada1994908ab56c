import HowdahRuntime

/// Sets a relationship of one object to the document's value, if it differs.
struct LinkChange {
    private static let chunk = 1_000

    private let owner: ManagedObject
    private let slot: Int
    private let members: [ManagedObject]

    init(_ owner: ManagedObject, _ slot: Int, _ members: [ManagedObject]) {
        self.owner = owner
        self.slot = slot
        self.members = members
    }

    /// Loads the present destinations of stored objects.
    static func load(
        _ owners: [ManagedObject], _ relationship: RelationshipLayout, _ context: ManagedObjectContext
    ) throws {
        for start in stride(from: 0, to: owners.count, by: chunk) {
            let part = Array(owners[start..<min(start + chunk, owners.count)])
            if relationship.isToMany {
                try context.loadMembers(of: part, relationship)
            } else if case .inverse = relationship.storage {
                try context.loadDestinations(of: part, relationship)
            }
        }
    }

    /// Sets a to-one; true if that changed anything.
    func toOne() -> Bool {
        guard case .toOne = owner.layout.slots[slot].kind, owner.destination(slot) !== members.first else {
            return false
        }
        owner._setDestination(members.first, slot)
        return true
    }

    /// Sets a to-many; true if that changed anything.
    func toMany(ordered isOrdered: Bool) -> Bool {
        guard case .toMany(let relationship) = owner.layout.slots[slot].kind,
            relationship.isOrdered == isOrdered
        else { return false }
        let present = owner.membersOf(slot)
        if isOrdered {
            if present.elementsEqual(members, by: ===) { return false }
            owner.replaceMembers(slot, with: members)
            return true
        }
        if Set(present) == Set(members) { return false }
        ToMany<ManagedObject>(owner, slot).replace(with: members)
        return true
    }
}
