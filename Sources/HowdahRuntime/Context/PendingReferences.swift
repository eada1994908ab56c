/// The to-one references of unsaved objects by their destinations.
///
/// The first lookup creates them, and later ones update them with new unsaved objects.
/// ``Changes/noteReference(of:_:to:)`` adds new destinations. If a reference has another destination by now,
/// it stays in here, and is left out of results.
struct PendingReferences {
    /// A to-one of an unsaved object.
    struct Reference {
        let object: ManagedObject
        let slot: Int
    }

    /// The rank of a reference in the order of all.
    private struct Rank: Comparable {
        let isUpdate: Bool
        let place: Int
        let slot: Int

        static func < (one: Rank, other: Rank) -> Bool {
            if one.isUpdate != other.isUpdate { return other.isUpdate }
            return (one.place, one.slot) < (other.place, other.slot)
        }
    }

    private var references: [ObjectIdentifier: [Reference]] = [:]
    private var insertedPlaces: [ObjectIdentifier: Int] = [:]
    private var updatedPlaces: [ObjectIdentifier: Int] = [:]
    private var insertedCount = 0
    private var updatedCount = 0
    /// The number of references that were recorded since the first lookup.
    private var noted = 0

    /// A Boolean value that indicates whether there are so many records that a new index costs no more.
    var isOvergrown: Bool { noted > 1_000 + 2 * (insertedCount + updatedCount) }

    /// Adds the objects that became unsaved since the last lookup, and returns their number.
    mutating func catchUp(with changes: Changes) -> Int {
        let looks = changes.inserted.count - insertedCount + changes.updated.count - updatedCount
        while insertedCount < changes.inserted.count {
            let object = changes.inserted[insertedCount]
            insertedPlaces.keepFirst(insertedCount, of: object)
            enter(object)
            insertedCount += 1
        }
        while updatedCount < changes.updated.count {
            let object = changes.updated[updatedCount]
            updatedPlaces.keepFirst(updatedCount, of: object)
            enter(object)
            updatedCount += 1
        }
        return looks
    }

    private mutating func enter(_ object: ManagedObject) {
        for (slot, destination) in object.knownDestinations {
            references[ObjectIdentifier(destination), default: []].append(
                Reference(object: object, slot: slot))
        }
    }

    mutating func note(_ object: ManagedObject, _ slot: Int, _ destination: ManagedObject) {
        noted += 1
        references[ObjectIdentifier(destination), default: []].append(Reference(object: object, slot: slot))
    }

    /// Returns the references to an object, without those that changed or are no longer unsaved.
    func to(_ destination: ManagedObject) -> [Reference] {
        var found: [(rank: Rank, reference: Reference)] = []
        for reference in references[ObjectIdentifier(destination)] ?? []
        where reference.object._toOneField(at: reference.slot).object === destination {
            if let rank = rank(of: reference) { found.append((rank, reference)) }
        }
        guard found.count > 1 else { return found.map(\.reference) }
        found.sort { $0.rank < $1.rank }
        var last: Rank?
        // One may have been told twice.
        return found.compactMap { rank, reference in
            defer { last = rank }
            return rank == last ? nil : reference
        }
    }

    private func rank(of reference: Reference) -> Rank? {
        let (object, slot) = (reference.object, reference.slot)
        if object.isToInsert, let place = insertedPlaces[ObjectIdentifier(object)] {
            return Rank(isUpdate: false, place: place, slot: slot)
        }
        guard object.isToUpdate, let place = updatedPlaces[ObjectIdentifier(object)] else { return nil }
        return Rank(isUpdate: true, place: place, slot: slot)
    }
}

extension ManagedObject {
    /// The objects in its to-one slots that exist in memory.
    final var knownDestinations: [(slot: Int, destination: ManagedObject)] {
        layout.relationshipSlots.compactMap { slot in
            guard case .toOne = layout.slots[slot].kind else { return nil }
            return _toOneField(at: slot).object.map { (slot, $0) }
        }
    }
}

extension [ObjectIdentifier: Int] {
    fileprivate mutating func keepFirst(_ place: Int, of object: ManagedObject) {
        if self[ObjectIdentifier(object)] == nil { self[ObjectIdentifier(object)] = place }
    }
}
