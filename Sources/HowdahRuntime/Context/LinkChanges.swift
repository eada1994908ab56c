/// The pairs of join tables that the next save makes or removes; making and removing one pair cancel out.
struct LinkChanges {
    struct Change {
        /// The columns, seen from `owner`'s side.
        let columns: JoinColumns
        let owner: ManagedObject
        let member: ManagedObject
        let isInsertion: Bool
    }

    private struct Pair: Hashable {
        let table: String
        let owner: ObjectIdentifier
        let member: ObjectIdentifier
    }

    private var changes: [Pair: Change] = [:]

    var isEmpty: Bool { changes.isEmpty }

    /// The changes in no particular order.
    var all: [Change] { Array(changes.values) }

    mutating func note(_ change: Change) {
        let pair = Pair(
            table: change.columns.table, owner: ObjectIdentifier(change.owner),
            member: ObjectIdentifier(change.member))
        if let pending = changes[pair], pending.isInsertion != change.isInsertion {
            changes[pair] = nil
        } else {
            changes[pair] = change
        }
    }
}
