/// A to-many property's storage: its members if they are loaded, otherwise the added and removed ones.
///
/// Counting, membership and changes work without loading, so that assigning n children to a parent costs
/// O(n).
public final class _ToManyState {
    /// A Boolean value that indicates whether ``members`` is the whole collection.
    private(set) var isLoaded = false
    /// The members; if the relationship is ordered, in their order.
    private(set) var members: [ManagedObject] = []
    /// Members that were removed while not loaded.
    ///
    /// An object in neither list is as in the store. An object in one of them has that state, whatever the
    /// store has, because its former membership was not looked up.
    private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]
    /// The number of members in the store at the last query, while not loaded.
    var storedCount: Int?
    /// The positions in `additions` of the members that were added while not loaded.
    private var added: [ObjectIdentifier: Int] = [:]
    private var additions: [ManagedObject?] = []
    /// The positions of members, in an ordered collection as the numbers that ``places`` shifts; nil if not
    /// needed yet.
    private var positions: [ObjectIdentifier: Int]?
    private var places = ShiftedPlaces(count: 0)
    private let isOrdered: Bool
    /// A Boolean value that indicates whether a change here is one of the owner's row.
    ///
    /// See ``RelationshipLayout/isKeptByOwner``.
    let isKeptByOwner: Bool
    /// A Boolean value that indicates whether members or their order changed since the last save.
    ///
    /// It is valid only if the owner's row keeps them.
    var isEdited = false
    /// The members that were added or removed since the last save.
    ///
    /// They are recorded only if the owner's row keeps the members and they have no order.
    private var edits: Set<ObjectIdentifier> = []
    /// The members before the first change since the last save; recorded only if no store has them.
    private(set) var originals: [ManagedObject]?
    let isTransient: Bool
    /// The stored numbers that order the members, by the members' keys; unsaved members have none.
    var numbers: [Int64: Int64] = [:]

    init(
        isOrdered: Bool, isKeptByOwner: Bool, isTransient: Bool = false, isLoaded: Bool = false
    ) {
        self.isTransient = isTransient
        self.isOrdered = isOrdered
        self.isKeptByOwner = isKeptByOwner
        self.isLoaded = isLoaded
    }

    deinit { DeferredReleases.release(&members) }

    /// A Boolean value that indicates whether there are unsaved changes, while not loaded.
    var hasPending: Bool { !added.isEmpty || !removed.isEmpty }

    /// The members that were added while not loaded, in their order.
    var gained: [ManagedObject] { additions.compactMap(\.self) }

    /// Loads the stored members and applies the additions and removals since.
    ///
    /// In an ordered collection added members are at the end, even if the store has them elsewhere.
    func load(_ stored: [ManagedObject]) {
        isLoaded = true
        positions = nil
        members = removed.isEmpty ? stored : stored.filter { removed[ObjectIdentifier($0)] == nil }
        if !added.isEmpty {
            if isOrdered { members.removeAll { added[ObjectIdentifier($0)] != nil } }
            let present = Set(members.map(ObjectIdentifier.init))
            members += gained.filter { !present.contains(ObjectIdentifier($0)) }
        }
        forgetPending()
    }

    /// Returns a Boolean value that indicates whether `object` is a member; nil if only the store knows.
    func contains(_ object: ManagedObject) -> Bool? {
        let identifier = ObjectIdentifier(object)
        if isLoaded { return position(of: identifier) != nil }
        if added[identifier] != nil { return true }
        if removed[identifier] != nil { return false }
        return nil
    }

    func add(_ object: ManagedObject) {
        let identifier = ObjectIdentifier(object)
        if isLoaded {
            guard position(of: identifier) == nil else { return }
            noteEdit(of: identifier)
            if positions != nil { positions?[identifier] = isOrdered ? places.append() : members.count }
            members.append(object)
        } else {
            removed[identifier] = nil
            guard added[identifier] == nil else { return }
            noteEdit(of: identifier)
            added[identifier] = additions.count
            additions.append(object)
        }
    }

    func remove(_ object: ManagedObject) {
        let identifier = ObjectIdentifier(object)
        if isLoaded {
            guard let position = position(of: identifier) else { return }
            noteEdit(of: identifier)
            if isOrdered {
                members.remove(at: position)
                if let number = positions?.removeValue(forKey: identifier) { places.remove(number) }
            } else {
                let last = members.removeLast()
                if last !== object {
                    members[position] = last
                    positions?[ObjectIdentifier(last)] = position
                }
                positions?[identifier] = nil
            }
        } else {
            if added[identifier] != nil || removed[identifier] == nil { noteEdit(of: identifier) }
            takeBack(identifier)
            // What was never stored need not be kept out when the stored members arrive.
            if !object._flags.contains(.inserted) { removed[identifier] = object }
        }
    }

    /// Moves a member of a loaded, ordered collection to another position.
    func move(_ object: ManagedObject, to position: Int) {
        guard let present = self.position(of: ObjectIdentifier(object)), present != position else { return }
        let member = members.remove(at: present)
        members.insert(member, at: position)
    }

    /// Replaces the order of the members of a loaded, ordered collection.
    func reorder(_ objects: [ManagedObject]) {
        members = objects
        positions = nil
    }

    /// Returns the position of a member of a loaded collection.
    func position(of object: ManagedObject) -> Int? { position(of: ObjectIdentifier(object)) }

    /// A Boolean value that indicates whether the members, and their order, are those of the last read or
    /// save.
    ///
    /// It is valid only if the owner's row keeps them.
    var isAsRead: Bool {
        if !isOrdered { return edits.isEmpty }
        if !isLoaded { return !hasPending }
        return members.count == numbers.count && members.map(\.key) == numberedKeys
    }

    /// Returns a Boolean value that indicates whether the last read or saved members were these; nil if not
    /// loaded.
    ///
    /// It is valid only if the owner's row keeps them.
    func wasRead(as keys: [Int64]) -> Bool? {
        if !isLoaded { return nil }
        if isOrdered { return keys == numberedKeys }
        // Of members that went only the number is known.
        let added = members.filter { edits.contains(ObjectIdentifier($0)) }
        let kept = Set(members.map(\.key)).subtracting(added.map(\.key))
        let gone = edits.subtracting([ObjectIdentifier(self)]).count - added.count
        let others = Set(keys).subtracting(kept)
        return kept.isSubset(of: keys) && others.count == gone
            && others.isDisjoint(with: added.map(\.key))
    }

    /// Marks the collection as edited until the next save, even if its members return to their former state.
    func keepEdited() {
        if isKeptByOwner, !isOrdered { edits.insert(ObjectIdentifier(self)) }
    }

    private func noteEdit(of identifier: ObjectIdentifier) {
        guard isKeptByOwner, !isOrdered else { return }
        if edits.remove(identifier) == nil { edits.insert(identifier) }
    }

    /// Marks a member as neither added nor removed.
    func forgetEdit(of object: ManagedObject) {
        if !edits.isEmpty { edits.remove(ObjectIdentifier(object)) }
    }

    /// Makes the store decide again if an object is a member, while not loaded.
    func forgetPending(of object: ManagedObject) {
        if isLoaded { return }
        takeBack(ObjectIdentifier(object))
        removed[ObjectIdentifier(object)] = nil
    }

    /// Restores one member to its stored state, after its own change was dropped.
    func restore(_ object: ManagedObject, isStored: Bool) {
        defer { forgetEdit(of: object) }
        if isLoaded {
            guard isStored else { return remove(object) }
            add(object)
            guard isOrdered, let number = numbers[object.key] else { return }
            let later = members.firstIndex { numbers[$0.key].map { $0 > number } ?? false }
            if let later { move(object, to: later) }
            return
        }
        takeBack(ObjectIdentifier(object))
        removed[ObjectIdentifier(object)] = nil
    }

    /// Releases deleted members and clears the count, which is no longer valid.
    func forgetDeleted() {
        if !isLoaded {
            storedCount = nil
            for member in gained where member._flags.contains(.deleted) { takeBack(ObjectIdentifier(member)) }
            removed = removed.filter { !$1._flags.contains(.deleted) }
        } else if members.contains(where: { $0._flags.contains(.deleted) }) {
            for member in members where member._flags.contains(.deleted) { numbers[member.key] = nil }
            members.removeAll { $0._flags.contains(.deleted) }
            positions = nil
        }
    }

    private func takeBack(_ identifier: ObjectIdentifier) {
        guard let place = added.removeValue(forKey: identifier) else { return }
        additions[place] = nil
    }

    /// Records the members of a transient relationship, before its first change since the last save.
    func keepOriginals() {
        if isTransient, originals == nil { originals = members }
    }

    /// Restores the members of a transient relationship from before the changes.
    func revert() {
        guard let originals else { return }
        members = originals.filter { !$0._flags.contains(.detached) }
        positions = nil
        self.originals = nil
    }

    /// Makes the pending members ordinary ones, after a save stored them.
    func settle() {
        originals = nil
        if !isLoaded { storedCount = nil }
        isEdited = false
        edits = []
        forgetPending()
    }

    private func forgetPending() {
        added = [:]
        removed = [:]
        additions = []
    }

    private func position(of identifier: ObjectIdentifier) -> Int? {
        // Short collections are searched; an index pays only where many changes follow each other.
        if positions == nil, members.count <= 8 {
            return members.firstIndex { ObjectIdentifier($0) == identifier }
        }
        if positions == nil {
            var index: [ObjectIdentifier: Int] = [:]
            index.reserveCapacity(members.count)
            for (position, member) in members.enumerated() { index[ObjectIdentifier(member)] = position }
            positions = index
            if isOrdered { places = ShiftedPlaces(count: members.count) }
        }
        guard isOrdered, let number = positions?[identifier] else { return positions?[identifier] }
        // What moved in an ordered collection left the index as it was: a place in it is a guess, membership is not.
        return position(of: identifier, near: places.place(of: number))
    }

    /// Searches for a member on both sides of its likely position.
    private func position(of identifier: ObjectIdentifier, near guess: Int) -> Int? {
        var low = min(guess, members.count - 1)
        var high = low + 1
        while low >= 0 || high < members.count {
            if low >= 0, ObjectIdentifier(members[low]) == identifier { return low }
            if high < members.count, ObjectIdentifier(members[high]) == identifier { return high }
            (low, high) = (low - 1, high + 1)
        }
        return nil
    }
}

extension _ToManyState {
    /// Records this order as the one that was read.
    func number(_ members: [ManagedObject]) {
        numbers = Dictionary(
            members.enumerated().map { ($1.key, Int64($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The keys of the members in the order that was read.
    var numberedKeys: [Int64] {
        numbers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
