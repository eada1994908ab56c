import HowdahModel

/// The changes of a context since the last event ended, with their former values, for notices and undo.
struct ContextEvent {
    /// The slots of one object before their first change in the event.
    struct Written {
        let object: ManagedObject
        var originals: [(slot: Int, original: ChangeRecord.Original)] = []
        /// The members of ordered or bounded to-manys; nil if they were not loaded.
        var lists: [(slot: Int, members: [ManagedObject]?)] = []
    }

    /// A pair of a join table, as the program changed it.
    struct Link {
        let owner: ManagedObject
        let member: ManagedObject
        let slot: Int
        let isInsertion: Bool
    }

    /// A pair, seen from either end.
    private struct Pair: Hashable {
        private let ends: [ObjectIdentifier]
        private let slots: [Int]

        init(_ owner: ManagedObject, _ member: ManagedObject, _ slot: Int) {
            let inverse = owner.layout.relationship(slot).inverse ?? -1
            let ends = [ObjectIdentifier(owner), ObjectIdentifier(member)]
            let isTurned = owner === member ? inverse < slot : ends[1] < ends[0]
            self.ends = isTurned ? ends.reversed() : ends
            slots = isTurned ? [inverse, slot] : [slot, inverse]
        }
    }

    private var insertions: [ManagedObject?] = []
    private var insertionPlaces: [ObjectIdentifier: Int] = [:]
    private(set) var deleted: [ManagedObject] = []
    private var entries: [Written?] = []
    private(set) var links: [Link] = []
    /// The objects with other values without a change of the program, which cannot be undone.
    private(set) var refreshed: [ManagedObject] = []
    private var places: [ObjectIdentifier: Int] = [:]

    /// A Boolean value that indicates whether the event has nothing to undo.
    var isEmpty: Bool { insertionPlaces.isEmpty && deleted.isEmpty && places.isEmpty && links.isEmpty }

    /// The objects that were inserted, in their order.
    var inserted: [ManagedObject] { insertions.compactMap(\.self) }

    /// The changed objects, in the order of their first changes.
    var written: [Written] { entries.compactMap(\.self) }

    /// Returns the record of an object.
    func written(_ object: ManagedObject) -> Written? {
        places[ObjectIdentifier(object)].flatMap { entries[$0] }
    }

    mutating func noteInsertion(_ object: ManagedObject) {
        guard insertionPlaces[ObjectIdentifier(object)] == nil else { return }
        insertionPlaces[ObjectIdentifier(object)] = insertions.count
        insertions.append(object)
    }

    /// Removes an object that was created in the event. The caller holds its record.
    mutating func forgetInsertion(of object: ManagedObject) {
        guard let place = insertionPlaces.removeValue(forKey: ObjectIdentifier(object)) else { return }
        insertions[place] = nil
        if let place = places.removeValue(forKey: ObjectIdentifier(object)) { entries[place] = nil }
    }

    mutating func noteDeletion(_ object: ManagedObject) { deleted.append(object) }

    mutating func noteRefresh(of object: ManagedObject) { refreshed.append(object) }

    /// Removes and returns the refreshed objects.
    mutating func takeRefreshed() -> [ManagedObject] {
        defer { refreshed = [] }
        return refreshed
    }

    mutating func noteLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) {
        links.append(Link(owner: owner, member: member, slot: slot, isInsertion: isInsertion))
    }

    /// Removes the last change of a pair, which was not a change.
    mutating func dropLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int) {
        let pair = Pair(owner, member, slot)
        if let place = links.lastIndex(where: { Pair($0.owner, $0.member, $0.slot) == pair }) {
            links.remove(at: place)
        }
    }

    /// Removes the pairs with their former state: each change of one is the opposite of the one before.
    private mutating func dropCancelledLinks() {
        guard links.count > 1 else { return }
        var counts: [Pair: Int] = [:]
        for link in links { counts[Pair(link.owner, link.member, link.slot), default: 0] += 1 }
        links.removeAll { counts[Pair($0.owner, $0.member, $0.slot), default: 0].isMultiple(of: 2) }
    }

    /// Returns a Boolean value that indicates whether a slot was not written yet.
    func lacksWrite(_ object: ManagedObject, _ slot: Int) -> Bool {
        written(object)?.originals.contains { $0.slot == slot } != true
    }

    /// Records the former value; the first one of a slot stays.
    mutating func noteWrite(_ object: ManagedObject, _ slot: Int, _ original: ChangeRecord.Original) {
        let place = place(of: object)
        guard entries[place]?.originals.contains(where: { $0.slot == slot }) == false else { return }
        entries[place]?.originals.append((slot, original))
    }

    mutating func noteListEdit(_ object: ManagedObject, _ state: _ToManyState) {
        guard let slot = Self.slot(of: state, in: object) else { return }
        let place = place(of: object)
        guard entries[place]?.lists.contains(where: { $0.slot == slot }) == false else { return }
        entries[place]?.lists.append((slot, state.isLoaded ? state.members : nil))
    }

    /// Returns the relationship of a to-many's storage.
    static func slot(of state: _ToManyState, in object: ManagedObject) -> Int? {
        object.layout.relationshipSlots.first { object._toManyState(at: $0) === state }
    }

    /// Returns a Boolean value that indicates whether the members of a to-many were recorded already.
    func hasList(_ object: ManagedObject, _ slot: Int) -> Bool {
        written(object)?.lists.contains { $0.slot == slot } ?? false
    }

    /// Removes written values that are equal to the former ones.
    mutating func dropUnchanged() {
        var written = self.written
        for place in written.indices {
            let object = written[place].object
            if object._flags.contains(.fault) { continue }
            written[place].originals.removeAll { $0.original.isSame(as: object.original(at: $0.slot)) }
            written[place].lists.removeAll { slot, members in
                guard let members, let state = object._toManyState(at: slot), state.isLoaded else {
                    return false
                }
                return members.elementsEqual(state.members, by: ===)
            }
        }
        written.removeAll { $0.originals.isEmpty && $0.lists.isEmpty }
        dropCancelledLinks()
        entries = written
        places = [:]
        for (place, entry) in written.enumerated() { places[ObjectIdentifier(entry.object)] = place }
    }

    /// Removes the former values of some slots.
    mutating func dropWrites(of object: ManagedObject, at slots: Set<Int>) {
        guard let place = places[ObjectIdentifier(object)] else { return }
        entries[place]?.originals.removeAll { slots.contains($0.slot) }
        guard let entry = entries[place], entry.originals.isEmpty, entry.lists.isEmpty else { return }
        entries[place] = nil
        places[ObjectIdentifier(object)] = nil
    }

    private mutating func place(of object: ManagedObject) -> Int {
        if let place = places[ObjectIdentifier(object)] { return place }
        places[ObjectIdentifier(object)] = entries.count
        entries.append(Written(object: object))
        return entries.count - 1
    }
}
