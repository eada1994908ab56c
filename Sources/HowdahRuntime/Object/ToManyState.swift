/// A to-many property's storage: its members once they are loaded, and until then only what was added and removed.
///
/// Counting, membership and changes work without loading, so that giving n children their parent costs O(n).
public final class ToManyState {
    /// Whether ``members`` is the whole collection.
    private(set) var isLoaded = false
    /// The members, in their order where the relationship is ordered.
    private(set) var members: [ManagedObject] = []
    /// Members gained while not loaded.
    private(set) var added: [ObjectIdentifier: ManagedObject] = [:]
    /// Members lost while not loaded.
    private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]
    /// How many members the store held when it was last asked, while not loaded.
    var storedCount: Int?
    private var addedOrder: [ManagedObject] = []
    private var positions: [ObjectIdentifier: Int]?
    private let isOrdered: Bool

    init(isOrdered: Bool, isLoaded: Bool = false) {
        self.isOrdered = isOrdered
        self.isLoaded = isLoaded
    }

    /// Takes the stored members, with what was added and removed meanwhile applied to them.
    func load(_ stored: [ManagedObject]) {
        isLoaded = true
        positions = nil
        members = removed.isEmpty ? stored : stored.filter { removed[ObjectIdentifier($0)] == nil }
        if !added.isEmpty {
            let present = Set(members.map(ObjectIdentifier.init))
            members += addedOrder.filter {
                added[ObjectIdentifier($0)] != nil && !present.contains(ObjectIdentifier($0))
            }
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
            positions?[identifier] = members.count
            members.append(object)
        } else if removed.removeValue(forKey: identifier) == nil, added[identifier] == nil {
            added[identifier] = object
            addedOrder.append(object)
        }
    }

    func remove(_ object: ManagedObject) {
        let identifier = ObjectIdentifier(object)
        if isLoaded {
            guard let position = position(of: identifier) else { return }
            if isOrdered {
                members.remove(at: position)
                positions = nil
            } else {
                let last = members.removeLast()
                if last !== object {
                    members[position] = last
                    positions?[ObjectIdentifier(last)] = position
                }
                positions?[identifier] = nil
            }
        } else if added.removeValue(forKey: identifier) == nil {
            removed[identifier] = object
        }
    }

    /// Lets go of members that were deleted; a count from before says nothing any more.
    func forgetDeleted() {
        if !isLoaded {
            storedCount = nil
            added = added.filter { !$1._flags.contains(.deleted) }
            removed = removed.filter { !$1._flags.contains(.deleted) }
        } else if members.contains(where: { $0._flags.contains(.deleted) }) {
            members.removeAll { $0._flags.contains(.deleted) }
            positions = nil
        }
    }

    /// Makes the pending members ordinary ones, after a save stored them.
    func settle() {
        if !isLoaded { storedCount = nil }
        forgetPending()
    }

    private func forgetPending() {
        added = [:]
        removed = [:]
        addedOrder = []
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
        }
        return positions?[identifier]
    }
}
