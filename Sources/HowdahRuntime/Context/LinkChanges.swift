/// The pairs of join tables that the next save makes or removes.
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

    /// Notes a change that came before all those that are here: where the pair has a later one, that one stays.
    mutating func notePrior(_ change: Change) {
        let pair = Pair(change)
        if changes[pair] == nil { changes[pair] = change }
    }

    /// Drops what is to be made or removed of one object's links.
    mutating func forget(_ object: ManagedObject) {
        changes = changes.filter { $1.owner !== object && $1.member !== object }
    }

    mutating func note(_ change: Change) {
        let pair = Pair(change)
        // The last word wins: whether the store has the pair is not known, and writing a pair twice or removing
        // one that is not there does nothing. Only a pair with a new object is certainly not stored.
        let isNew = change.owner._flags.contains(.inserted) || change.member._flags.contains(.inserted)
        changes[pair] = isNew && !change.isInsertion ? nil : change
    }
}
