import HowdahModel
import PQClient

/// Locks the rows that a save will write, and compares their versions with those that were read.
///
/// It sends one statement per table, tables in a fixed order and ids ascending.
struct RowLocks {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Takes the locks.
    ///
    /// - Throws: `SaveError.conflict` with every object whose row has changed. If there is none, and the
    ///   server withholds rows nevertheless, `SaveError.database`.
    func lock(_ changes: ChangeSet) throws {
        try lock(
            updated: changes.updated.map(\.object) + changes.guarded, deleted: changes.deleted,
            after: DestinationLocks(context).statements(changes))
    }

    /// Takes the locks of objects to update and delete.
    ///
    /// - Parameter first: The statements to run before, in the same round trip.
    /// - Throws: The errors of ``lock(_:)``.
    func lock(
        updated: [ManagedObject], deleted: [ManagedObject], after first: [SaveStatement] = []
    ) throws {
        var byTable: [Int: [ManagedObject]] = [:]
        var deleting: Set<Int> = []
        for object in updated {
            byTable[object.layout.root, default: []].append(object)
        }
        for object in deleted {
            byTable[object.layout.root, default: []].append(object)
            deleting.insert(object.layout.root)
        }
        if byTable.isEmpty { return }
        let roots = byTable.keys.sorted { context.layouts[$0].table < context.layouts[$1].table }
        let statements = try roots.map { root in
            try statement(context.layouts[root], byTable[root] ?? [], deleting: deleting.contains(root))
        }
        let results = try transaction.run(first + statements).dropFirst(first.count)
        var missed: [ManagedObject] = []
        for (root, result) in zip(roots, results) {
            var versions: [Int64: Int64] = [:]
            try result.forEachRow {
                versions[$0[0].int64] = try $0.integer(1, "_version", of: context.layouts[root])
            }
            missed += (byTable[root] ?? []).filter { object in
                // An object deleted as a fault was never read, so any version of it will do.
                let isUnread = object._flags.contains(.fault)
                return versions[object.key].map { !isUnread && $0 != object.version } ?? true
            }
        }
        // A row that is there in the version that was read is held back by something else than a change.
        guard missed.isEmpty else {
            throw try Conflicts(context, transaction).error(missed, onlyChanged: true)
        }
    }

    private func statement(
        _ layout: EntityLayout, _ objects: [ManagedObject], deleting: Bool
    ) throws -> SaveStatement {
        var parameters = Parameters()
        parameters.append(objects.map(\.key).sorted())
        // One strength per table: two statements on one table would take its rows in two orders.
        let strength = deleting ? "FOR UPDATE" : "FOR NO KEY UPDATE"
        let (key, version) = (layout.table.key.name, try layout.table.writtenVersion())
        return SaveStatement(
            "SELECT \(key), \(version) FROM \(layout.table) WHERE \(key) = ANY($1) ORDER BY \(key) \(strength)",
            parameters, about: .init(.select, layout.table.subject))
    }
}
