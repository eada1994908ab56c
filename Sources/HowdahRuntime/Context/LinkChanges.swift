/// The pairs of join tables that the next save makes or removes.
///
/// A change and its opposite cancel each other out where it is known that the first one made a difference; see
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
        /// Whether the store is known to have the pair that is to be removed, or not to have the one to be made.
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

    var isEmpty: Bool { changes.isEmpty }

    /// The changes in no particular order.
    var all: [Change] { Array(changes.values) }

    /// What is to become of the pair that another change is about.
    func pending(for change: Change) -> Change? { changes[Pair(change)] }

    mutating func note(_ change: Change) {
        let pair = Pair(change)
        let isNew = change.owner._flags.contains(.inserted) || change.member._flags.contains(.inserted)
        guard let prior = changes[pair] else {
            // A pair with a new object is certainly not stored.
            if isNew, !change.isInsertion { return }
            changes[pair] = change
            return
        }
        if prior.isInsertion == change.isInsertion { return }
        changes[pair] = prior.isCertain || isNew ? nil : change
    }

    /// Notes a change that came before those that are here, and was taken back by the end of a transaction.
    mutating func notePrior(_ change: Change) {
        let pair = Pair(change)
        guard let later = changes[pair] else {
            changes[pair] = change
            return
        }
        // Together they come to nothing where the first is certain; else the last word holds.
        if later.isInsertion == change.isInsertion {
            changes[pair] = change
        } else if change.isCertain {
            changes[pair] = nil
        } else {
            changes[pair]?.isCertain = false
        }
    }

    /// Takes in what the store was found to have of a pair: its change is certain from now on, or none at all.
    mutating func settle(_ change: Change, isStored: Bool) {
        let pair = Pair(change)
        if change.isInsertion == isStored {
            changes[pair] = nil
        } else {
            changes[pair]?.isCertain = true
        }
    }

    /// Forgets what is known of one object's links, because it stands for another row now.
    mutating func doubt(_ object: ManagedObject) {
        for (pair, change) in changes where change.owner === object || change.member === object {
            changes[pair]?.isCertain = false
        }
    }

    /// Drops what is to be made or removed of one object's links.
    mutating func forget(_ object: ManagedObject) {
        changes = changes.filter { $1.owner !== object && $1.member !== object }
    }
}
