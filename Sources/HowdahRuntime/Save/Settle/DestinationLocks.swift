import HowdahModel
import PQClient

/// Prevents the deletion of changed to-ones' destinations, before any row that refers to them is locked.
///
/// A foreign key is checked, and its destination locked, at the end of a save. A deletion locks the
/// destination first and then its referrers. Without these locks two sessions would meet in two orders.
struct DestinationLocks {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Returns one statement per table, tables in a fixed order and ids ascending.
    ///
    /// If the save locks one row at most, there are none. A retry costs little then.
    func statements(_ changes: ChangeSet) -> [SaveStatement] {
        guard changes.updated.count + changes.deleted.count > 1 else { return [] }
        var keys: [Int: Set<Int64>] = [:]
        for update in changes.updated {
            for slot in update.slots {
                guard case .toOne(let relationship) = update.object.layout.slots[slot].kind,
                    case .foreignKey = relationship.storage
                else { continue }
                let field = update.object._toOneField(at: slot)
                guard field.entity >= 0 else { continue }
                if let object = field.object, !object._flags.isDisjoint(with: [.inserted, .deleted]) {
                    continue
                }
                let root = context.layouts[Int(field.entity)].root
                // Of tables of other programs it may only be allowed to read.
                guard context.layouts[root].table.existing == nil else { continue }
                keys[root, default: []].insert(field.key)
            }
        }
        return keys.map { (table: context.layouts[$0].table, keys: $1) }.sorted { $0.table < $1.table }
            .map { table, keys in
                var parameters = Parameters()
                parameters.append(keys.sorted())
                let key = table.key.name
                return SaveStatement(
                    "SELECT 1 FROM \(table) WHERE \(key) = ANY($1) ORDER BY \(key) FOR KEY SHARE", parameters,
                    about: .init(.select, table.subject))
            }
    }
}
