/// The pairs of join tables that the next save adds or removes.
///
/// A change and its opposite cancel each other out if the first one is known to be a difference; see
/// ``ManagedObjectContext/clarifyLink(_:_:slot:isInsertion:)``.
struct LinkChanges {
    struct Change {
        /// The columns, seen from `owner`'s side.
        let columns: JoinColumns
        let owner: ManagedObject
        let member: ManagedObject
        /// The relationship in `owner`, and its inverse in `member`.
        let slot: Int
        let inverse: Int?
        let isInsertion: Bool
        /// A Boolean value that indicates whether the change is known to be a difference from the store.
        var isCertain = false
    }

    private struct Pair: Hashable {
        let table: String
        let owner: ObjectIdentifier
        let member: ObjectIdentifier

        init(_ change: Change) {
            table = change.columns.table
            owner = ObjectIdentifier(change.owner)
            member = ObjectIdentifier(change.member)
        }
    }

    private var changes: [Pair: Change] = [:]
    /// The pairs that each object is in; nil until the first lookup.
    private var pairs: [ObjectIdentifier: Set<Pair>]?

    var isEmpty: Bool { changes.isEmpty }

    /// The changes in no particular order.
    var all: [Change] { Array(changes.values) }

    /// Returns the changes of one object's links, in no particular order.
    mutating func of(_ object: ManagedObject) -> [Change] {
        if pairs == nil {
            pairs = [:]
            for pair in changes.keys { enter(pair) }
        }
        return (pairs?[ObjectIdentifier(object)] ?? []).compactMap { changes[$0] }
    }

    private mutating func enter(_ pair: Pair) {
        pairs?[pair.owner, default: []].insert(pair)
        pairs?[pair.member, default: []].insert(pair)
    }

    private mutating func set(_ change: Change?, of pair: Pair) {
        changes[pair] = change
        if pairs == nil { return }
        if change != nil { return enter(pair) }
        pairs?[pair.owner]?.remove(pair)
        pairs?[pair.member]?.remove(pair)
    }

    /// Returns the pending change of the same pair.
    func pending(for change: Change) -> Change? { changes[Pair(change)] }

    mutating func note(_ change: Change) {
        let pair = Pair(change)
        let isNew = change.owner._flags.contains(.inserted) || change.member._flags.contains(.inserted)
        guard let prior = changes[pair] else {
            // A pair with a new object is certainly not stored.
            if isNew, !change.isInsertion { return }
            set(change, of: pair)
            return
        }
        if prior.isInsertion == change.isInsertion { return }
        set(prior.isCertain || isNew ? nil : change, of: pair)
    }

    /// Records an earlier change, which the end of a transaction reverted.
    mutating func notePrior(_ change: Change) {
        let pair = Pair(change)
        guard let later = changes[pair] else {
            set(change, of: pair)
            return
        }
        // Together they come to nothing where the first is certain; else the last word holds.
        if later.isInsertion == change.isInsertion {
            set(change, of: pair)
        } else if change.isCertain {
            set(nil, of: pair)
        } else {
            changes[pair]?.isCertain = false
        }
    }

    /// Applies the result of a lookup of a pair: its change is certain from now on, or removed.
    mutating func settle(_ change: Change, isStored: Bool) {
        let pair = Pair(change)
        if change.isInsertion == isStored {
            set(nil, of: pair)
        } else {
            changes[pair]?.isCertain = true
        }
    }

    /// Marks the changes of an object's links as uncertain, because it stands for another row now.
    mutating func doubt(_ object: ManagedObject) {
        for change in of(object) { changes[Pair(change)]?.isCertain = false }
    }

    /// Removes the changes of one object's links.
    mutating func forget(_ object: ManagedObject) {
        for change in of(object) { set(nil, of: Pair(change)) }
    }
}
