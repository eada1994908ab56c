import HowdahModel
import PQClient

/// Compares loaded to-manys that rows keep with the store's present state. It sends a statement for each
/// relationship.
struct StoredLists {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Returns the slots with other members or another order than were read, by object.
    func differing(
        from objects: [ManagedObject], _ layout: EntityLayout
    ) throws -> [ObjectIdentifier: Set<Int>] {
        var found: [ObjectIdentifier: Set<Int>] = [:]
        for slot in layout.relationshipSlots where layout.relationship(slot).isKeptByOwner {
            let owners = objects.filter { $0._toManyState(at: slot)?.isLoaded == true }
            if owners.isEmpty { continue }
            var parameters = Parameters()
            parameters.append(owners.map(\.key))
            let statement = MemberStatement(layout.relationship(slot), context.layouts)
            var stored: [Int64: [Int64]] = [:]
            try transaction.query(statement.memberKeys, parameters).forEachRow { row in
                stored[row[0].int64, default: []].append(row[1].int64)
            }
            for owner in owners
            where owner._toManyState(at: slot)?.wasRead(as: stored[owner.key] ?? []) == false {
                found[ObjectIdentifier(owner), default: []].insert(slot)
            }
        }
        return found
    }
}
