/// A to-many property's storage: its members once they are loaded, and until then only what was added and removed.
///
/// Counting, membership and changes work without loading, so that giving n children their parent costs O(n).
public final class ToManyState {
    /// Whether ``members`` is the whole collection.
    private(set) var isLoaded = false
    /// The members, in their order where the relationship is ordered.
    private(set) var members: [ManagedObject] = []
    /// Members lost while not loaded. What is in neither list is as the store has it; what is in one is so
    /// whatever the store has, because nobody looked whether it was a member before.
    private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]
    /// How many members the store held when it was last asked, while not loaded.
    var storedCount: Int?
    /// The places in `additions` of the members gained while not loaded.
    private var added: [ObjectIdentifier: Int] = [:]
    private var additions: [ManagedObject?] = []
    /// Where members stand, in an ordered collection by the numbers that ``places`` shifts; nil while there is no need.
    private var positions: [ObjectIdentifier: Int]?
    private var places = ShiftedPlaces(count: 0)
    private let isOrdered: Bool
    /// Whether a change here is one of the owner's row; see ``RelationshipLayout/isKeptByOwner``.
    let isKeptByOwner: Bool
    /// Whether members or their order changed since the last save; only told where the owner's row keeps them.
    var isEdited = false
    /// The members that came or went since the last save; only kept where the owner's row does, and has no order.
    private var edits: Set<ObjectIdentifier> = []
    /// The members before the first change since the last save; only kept where no store has them.
    private(set) var originals: [ManagedObject]?
    let isTransient: Bool
    /// The stored numbers that order the members, by the members' keys; what is not stored yet has none.
    var numbers: [Int64: Int64] = [:]

    init(
        isOrdered: Bool, isKeptByOwner: Bool, isTransient: Bool = false, isLoaded: Bool = false
    ) {
        self.isTransient = isTransient
        self.isOrdered = isOrdered
        self.isKeptByOwner = isKeptByOwner
        self.isLoaded = isLoaded
    }

    deinit { Remains.release(&members) }

    /// Whether there are changes that the store does not have, while not loaded.
    var hasPending: Bool { !added.isEmpty || !removed.isEmpty }

    /// Members gained while not loaded, in the order they came.
    var gained: [ManagedObject] { additions.compactMap(\.self) }

    /// Takes the stored members, with what was added and removed meanwhile applied to them.
    ///
    /// In an ordered collection what was added stands at the end, also where the store has it elsewhere.
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

    /// Whether `object` is a member, as far as is known here; nil when only the store can tell.
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

    /// Puts a member of a loaded, ordered collection at another position; the others close up.
    func move(_ object: ManagedObject, to position: Int) {
        guard let present = self.position(of: ObjectIdentifier(object)), present != position else { return }
        let member = members.remove(at: present)
        members.insert(member, at: position)
    }

    /// Puts the members of a loaded, ordered collection into another order.
    func reorder(_ objects: [ManagedObject]) {
        members = objects
        positions = nil
    }

    /// Where a member of a loaded collection stands.
    func position(of object: ManagedObject) -> Int? { position(of: ObjectIdentifier(object)) }

    /// Whether the members, and their order, are those that were read, or saved last.
    ///
    /// Only told where the owner's row keeps them.
    var isAsRead: Bool {
        if !isOrdered { return edits.isEmpty }
        if !isLoaded { return !hasPending }
        return members.count == numbers.count && members.map(\.key) == numberedKeys
    }

    /// Whether the members that were read, or saved last, were these; nil where they are not loaded.
    ///
    /// Only told where the owner's row keeps them.
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

    /// Has the collection count as edited until the next save, whatever becomes of its members.
    func keepEdited() {
        if isKeptByOwner, !isOrdered { edits.insert(ObjectIdentifier(self)) }
    }

    private func noteEdit(of identifier: ObjectIdentifier) {
        guard isKeptByOwner, !isOrdered else { return }
        if edits.remove(identifier) == nil { edits.insert(identifier) }
    }

    /// Takes a member as one that neither came nor went.
    func forgetEdit(of object: ManagedObject) {
        if !edits.isEmpty { edits.remove(ObjectIdentifier(object)) }
    }

    /// Has the store say again whether an object is a member, where members are not loaded.
    func forgetPending(of object: ManagedObject) {
        if isLoaded { return }
        takeBack(ObjectIdentifier(object))
        removed[ObjectIdentifier(object)] = nil
    }

    /// Puts one member back to what the store says of it, after its own change was dropped.
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

    /// Lets go of members that were deleted; a count from before says nothing any more.
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

    /// Remembers the members of a transient relationship, before its first change since the last save.
    func keepOriginals() {
        if isTransient, originals == nil { originals = members }
    }

    /// Puts the members of a transient relationship back that it had before the changes.
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

    /// Looks for a member on both sides of where it should be.
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

extension ToManyState {
    /// Takes this order as the one that was read.
    func number(_ members: [ManagedObject]) {
        numbers = Dictionary(
            members.enumerated().map { ($1.key, Int64($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The keys of the members in the order that was read.
    var numberedKeys: [Int64] {
        numbers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
