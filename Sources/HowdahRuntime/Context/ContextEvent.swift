import HowdahModel

/// What changed in a context since the last event ended, with the values of before, so that it can be told of and
/// undone.
struct ContextEvent {
    /// One object's slots as they were before their first change in the event.
    struct Written {
        let object: ManagedObject
        var originals: [(slot: Int, original: ChangeRecord.Original)] = []
        /// The members of ordered or bounded to-manys; nil where they were not loaded.
        var lists: [(slot: Int, members: [ManagedObject]?)] = []
    }

    /// A pair of a join table, as the program changed it.
    struct Link {
        let owner: ManagedObject
        let member: ManagedObject
        let slot: Int
        let isInsertion: Bool
    }

    /// A pair, whichever end it is seen from.
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
    /// The objects that show something else without a change of the program; nothing to be undone.
    private(set) var refreshed: [ManagedObject] = []
    private var places: [ObjectIdentifier: Int] = [:]

    /// Whether there is nothing to be undone.
    var isEmpty: Bool { insertionPlaces.isEmpty && deleted.isEmpty && places.isEmpty && links.isEmpty }

    /// The objects that were inserted, in their order.
    var inserted: [ManagedObject] { insertions.compactMap(\.self) }

    /// The objects that were written to, in the order of their first changes.
    var written: [Written] { entries.compactMap(\.self) }

    /// What was kept of an object.
    func written(_ object: ManagedObject) -> Written? {
        places[ObjectIdentifier(object)].flatMap { entries[$0] }
    }

    mutating func noteInsertion(_ object: ManagedObject) {
        guard insertionPlaces[ObjectIdentifier(object)] == nil else { return }
        insertionPlaces[ObjectIdentifier(object)] = insertions.count
        insertions.append(object)
    }

    /// Has the event say nothing of an object that it made. The caller holds what was kept of it.
    mutating func forgetInsertion(of object: ManagedObject) {
        guard let place = insertionPlaces.removeValue(forKey: ObjectIdentifier(object)) else { return }
        insertions[place] = nil
        if let place = places.removeValue(forKey: ObjectIdentifier(object)) { entries[place] = nil }
    }

    mutating func noteDeletion(_ object: ManagedObject) { deleted.append(object) }

    mutating func noteRefresh(of object: ManagedObject) { refreshed.append(object) }

    /// The refreshed objects, which the event then has not any more.
    mutating func takeRefreshed() -> [ManagedObject] {
        defer { refreshed = [] }
        return refreshed
    }

    mutating func noteLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) {
        links.append(Link(owner: owner, member: member, slot: slot, isInsertion: isInsertion))
    }

    /// Forgets the last change of a pair, which turned out to be none.
    mutating func dropLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int) {
        let pair = Pair(owner, member, slot)
        if let place = links.lastIndex(where: { Pair($0.owner, $0.member, $0.slot) == pair }) {
            links.remove(at: place)
        }
    }

    /// Forgets the pairs that are as they were: each change of one is the opposite of the one before.
    private mutating func dropCancelledLinks() {
        guard links.count > 1 else { return }
        var counts: [Pair: Int] = [:]
        for link in links { counts[Pair(link.owner, link.member, link.slot), default: 0] += 1 }
        links.removeAll { counts[Pair($0.owner, $0.member, $0.slot), default: 0].isMultiple(of: 2) }
    }

    /// Whether a slot was not written yet.
    func lacksWrite(_ object: ManagedObject, _ slot: Int) -> Bool {
        written(object)?.originals.contains { $0.slot == slot } != true
    }

    /// Keeps the value of before; the first one of a slot stays.
    mutating func noteWrite(_ object: ManagedObject, _ slot: Int, _ original: ChangeRecord.Original) {
        let place = place(of: object)
        guard entries[place]?.originals.contains(where: { $0.slot == slot }) == false else { return }
        entries[place]?.originals.append((slot, original))
    }

    mutating func noteListEdit(_ object: ManagedObject, _ state: ToManyState) {
        guard let slot = Self.slot(of: state, in: object) else { return }
        let place = place(of: object)
        guard entries[place]?.lists.contains(where: { $0.slot == slot }) == false else { return }
        entries[place]?.lists.append((slot, state.isLoaded ? state.members : nil))
    }

    /// The relationship that a to-many's storage is of.
    static func slot(of state: ToManyState, in object: ManagedObject) -> Int? {
        object.layout.relationshipSlots.first { object._toManyState(at: $0) === state }
    }

    /// Whether the members of a to-many were kept already.
    func hasList(_ object: ManagedObject, _ slot: Int) -> Bool {
        written(object)?.lists.contains { $0.slot == slot } ?? false
    }

    /// Forgets what was written and is as it was.
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

    /// Forgets the values of before of some slots.
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
