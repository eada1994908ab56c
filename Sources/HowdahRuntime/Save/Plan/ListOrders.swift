import HowdahModel

/// The new numbers of the members of a save's ordered lists.
struct ListOrders {
    /// A member's place in a list.
    struct Place: Hashable {
        let owner: ObjectIdentifier
        let slot: Int
        let member: ObjectIdentifier

        init(_ member: ManagedObject, in owner: ManagedObject, _ slot: Int) {
            self.owner = ObjectIdentifier(owner)
            self.slot = slot
            self.member = ObjectIdentifier(member)
        }
    }

    /// A stored member with a new number whose row or link is not written otherwise.
    struct Move {
        let owner: ManagedObject
        let relationship: RelationshipLayout
        let member: ManagedObject
        let number: Int64
    }

    /// A list with its numbers, for its state in memory.
    struct Numbered {
        let state: _ToManyState
        let members: [ManagedObject]
        let numbers: [Int64]
    }

    /// A to-one of an object.
    private struct ToOne: Hashable {
        let member: ObjectIdentifier
        let slot: Int
    }

    /// A member that is added at the end of a list.
    private struct Return {
        let toOne: ToOne
        /// The place of a link; nil for a to-one, whose destination may not be in memory.
        let place: Place?
        let owner: Int64
        let list: RelationshipLayout
    }

    private var numbers: [Place: Int64] = [:]
    private var returns: [ToOne: Int64] = [:]
    private(set) var moves: [Move] = []
    private(set) var lists: [Numbered] = []

    /// Creates an empty set of lists.
    init() {}

    /// - Parameter tails: The last stored numbers of lists that are not loaded, by their owners' keys.
    init(
        _ settled: SettledChanges, layouts: [EntityLayout],
        tails: (RelationshipLayout, [Int64]) throws -> [Int64: Int64]
    ) throws {
        try orderChanges(settled, tails)
        try placeReturns(settled, layouts, tails)
    }

    private mutating func orderChanges(
        _ settled: SettledChanges, _ tails: (RelationshipLayout, [Int64]) throws -> [Int64: Int64]
    ) throws {
        let changes = settled.lists.filter { $0.relationship.isOrdered }
        if changes.isEmpty { return }
        let written = WrittenPlaces(settled)
        let short = changes.filter { !$0.state.isLoaded && !$0.state.gained.isEmpty }
        for group in Dictionary(grouping: short, by: { ObjectIdentifier($0.relationship) }).values {
            let last = try tails(group[0].relationship, group.map(\.owner.key))
            for list in group {
                let gained = list.state.gained.filter { !settled.isDeleted($0) }
                if let given = OrderNumbers.following(last[list.owner.key], count: gained.count) {
                    note(list, gained, given, written)
                } else {
                    _ = list.owner.loadedList(list.relationship.slot)
                    try list.owner.managedObjectContext?.throwFailure()
                }
            }
        }
        for list in changes where list.state.isLoaded {
            let members = list.state.members.filter { !settled.isDeleted($0) }
            let present = members.map { member in
                OrderNumbers.Member(number: list.state.numbers[member.key], key: member.key)
            }
            let given = OrderNumbers.assigned(to: present)
            note(list, members, given, written)
            lists.append(Numbered(state: list.state, members: members, numbers: given))
        }
    }

    /// Places rows and links that a policy writes in lists that did not change here.
    ///
    /// They get the place that was read, or the end. The lists themselves are not edited, because their
    /// owners may be deleted for good.
    private mutating func placeReturns(
        _ settled: SettledChanges, _ layouts: [EntityLayout],
        _ tails: (RelationshipLayout, [Int64]) throws -> [Int64: Int64]
    ) throws {
        var ends: [ObjectIdentifier: [Return]] = [:]
        for object in settled.inserted where object.version > 0 && object.key > 0 {
            for slot in object.layout.placedSlots { placeToOne(of: object, slot, settled, layouts, &ends) }
        }
        for update in settled.updated where !update.object.layout.placedSlots.isEmpty {
            for slot in update.object.layout.placedSlots where update.slots.contains(slot) {
                placeToOne(of: update.object, slot, settled, layouts, &ends)
            }
        }
        for link in settled.links where link.isInsertion {
            if link.columns.orderColumn != nil { placeLink(link.member, in: link.owner, link.slot, &ends) }
            if link.columns.otherOrderColumn != nil, let inverse = link.inverse {
                placeLink(link.owner, in: link.member, inverse, &ends)
            }
        }
        for group in ends.values {
            var last = try tails(group[0].list, Set(group.map(\.owner)).sorted())
            for item in group {
                // If no room is left behind the last one, both have its number, and their keys decide.
                let number = OrderNumbers.following(last[item.owner], count: 1)?.first ?? last[item.owner]
                last[item.owner] = number
                if let place = item.place { numbers[place] = number } else { returns[item.toOne] = number }
            }
        }
    }

    private mutating func placeToOne(
        of object: ManagedObject, _ slot: Int, _ settled: SettledChanges, _ layouts: [EntityLayout],
        _ ends: inout [ObjectIdentifier: [Return]]
    ) {
        guard let inverse = object.layout.relationship(slot).inverse else { return }
        let field = settled.destination(of: object, slot: slot, layouts: layouts)
        if field.isNone || field.key <= 0 { return }
        let entity = layouts[Int(field.entity)]
        let owner =
            field.object ?? object.managedObjectContext?.registry.find(root: entity.root, key: field.key)
        if let owner, number(of: object, in: owner, inverse) != nil { return }
        let toOne = ToOne(member: ObjectIdentifier(object), slot: slot)
        if let known = owner?._toManyState(at: inverse)?.numbers[object.key] {
            returns[toOne] = known
        } else {
            let list = entity.relationship(inverse)
            ends[ObjectIdentifier(list), default: []].append(
                Return(toOne: toOne, place: nil, owner: field.key, list: list))
        }
    }

    private mutating func placeLink(
        _ member: ManagedObject, in owner: ManagedObject, _ slot: Int,
        _ ends: inout [ObjectIdentifier: [Return]]
    ) {
        let place = Place(member, in: owner, slot)
        if numbers[place] != nil || owner.key <= 0 { return }
        if let known = owner._toManyState(at: slot)?.numbers[member.key] {
            numbers[place] = known
        } else {
            let list = owner.layout.relationship(slot)
            ends[ObjectIdentifier(list), default: []].append(
                Return(
                    toOne: ToOne(member: place.member, slot: slot), place: place, owner: owner.key, list: list
                ))
        }
    }

    /// Returns the number of an object in the list of a to-one's destination if no list here has changed by
    /// it.
    func number(returning object: ManagedObject, _ slot: Int) -> Int64? {
        returns.isEmpty ? nil : returns[ToOne(member: ObjectIdentifier(object), slot: slot)]
    }

    /// Returns the number of a member in a list; nil if the list has no order or did not change.
    func number(of member: ManagedObject, in owner: ManagedObject, _ slot: Int) -> Int64? {
        numbers.isEmpty ? nil : numbers[Place(member, in: owner, slot)]
    }

    private mutating func note(
        _ list: ListChange, _ members: [ManagedObject], _ given: [Int64], _ written: WrittenPlaces
    ) {
        for (member, number) in zip(members, given) {
            let place = Place(member, in: list.owner, list.relationship.slot)
            numbers[place] = number
            // Nothing but rows and links that this save writes leads to an owner that is stored with it.
            if list.owner._flags.contains(.inserted) { continue }
            if list.state.numbers[member.key] != number, !written.contains(place, member, list.relationship) {
                moves.append(
                    Move(owner: list.owner, relationship: list.relationship, member: member, number: number))
            }
        }
    }
}

/// The places that are stored together with a row or link that is written anyway.
private struct WrittenPlaces {
    private var links: Set<ListOrders.Place> = []
    private var slots: [ObjectIdentifier: [Int]] = [:]

    init(_ settled: SettledChanges) {
        for link in settled.links where link.isInsertion {
            links.insert(.init(link.member, in: link.owner, link.slot))
            if let inverse = link.inverse { links.insert(.init(link.owner, in: link.member, inverse)) }
        }
        for update in settled.updated { slots[ObjectIdentifier(update.object)] = update.slots }
    }

    func contains(
        _ place: ListOrders.Place, _ member: ManagedObject, _ relationship: RelationshipLayout
    ) -> Bool {
        guard case .inverse = relationship.storage, let inverse = relationship.inverse else {
            return links.contains(place)
        }
        return member._flags.contains(.inserted) || slots[place.member]?.contains(inverse) ?? false
    }
}
