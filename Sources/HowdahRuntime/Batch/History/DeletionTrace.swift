import HowdahModel
import PQClient

/// The rows that a batch deletion reaches by foreign keys and triggers, found and locked before they are deleted.
///
/// RETURNING does not show these rows. They are found level by level, each in a new statement behind the locks of
/// the level above. So rows that other sessions add meanwhile are found too.
struct DeletionTrace {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction
    private var wave: [Int: [Int64]] = [:]
    private var deleted: [Int: [Int64: SettledChanges.DeletedRow]] = [:]
    /// The rows that the request itself deletes.
    private(set) var keys: [Int64] = []

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Locks the rows that a statement would delete, and finds what follows.
    mutating func collect(_ statement: BatchStatement, _ trace: BatchTrace) throws {
        let layout = trace.layout
        var rows = try transaction.run([statement.lockedRows])[0].map { row in
            (key: row[0].int64, entity: layout.discriminator == nil ? nil : row[1].string())
        }
        if statement.readsOtherRows {
            let meant = try transaction.run([statement.stillMeant(rows.map(\.key))])[0].map { $0[0].int64 }
            let kept = Set(meant)
            rows.removeAll { !kept.contains($0.key) }
        }
        keys = rows.map(\.key)
        let kept = try ReferringRows(context, transaction).tombstones(of: keys, layout)
        for row in rows {
            mark(
                row.entity.flatMap { layout.directory.index(ofStoredName: $0) } ?? layout.index, row.key,
                kept[row.key])
        }
        while !wave.isEmpty {
            let level = wave
            wave = [:]
            for (entity, keys) in level.sorted(by: { $0.key < $1.key }) {
                try follow(context.layouts[entity], keys.sorted())
            }
        }
    }

    private mutating func mark(_ entity: Int, _ key: Int64, _ tombstone: String?) {
        let root = context.layouts[entity].root
        guard deleted[root]?[key] == nil else { return }
        deleted[root, default: [:]][key] = .init(entity: entity, object: nil, tombstone: tombstone)
        wave[entity, default: []].append(key)
    }

    private mutating func follow(_ layout: EntityLayout, _ keys: [Int64]) throws {
        let referring = ReferringRows(context, transaction)
        for slot in layout.relationshipSlots {
            let relationship = layout.relationship(slot)
            let isCascade = relationship.deleteRule == .cascade
            switch relationship.storage {
            case .foreignKey(let columns):
                if relationship.isSelfInverse {
                    try note(
                        referring.rows(columns, in: layout, of: keys, forDeletion: isCascade), isCascade, slot
                    )
                } else if isCascade {
                    try note(
                        referring.destinations(relationship, of: keys, layout), true, relationship.inverse)
                } else if deleted[layout.root]?.isEmpty == false {
                    try note(owners(relationship, columns, keys, layout), false, relationship.inverse)
                }
            case .inverse(let columns):
                let rows = try referring.rows(
                    columns, in: context.layouts[relationship.destination], of: keys, forDeletion: isCascade)
                note(rows, isCascade, relationship.inverse)
            case .join:
                let rows = try referring.destinations(relationship, of: keys, layout)
                note(rows, isCascade, relationship.inverse)
            case .memory: break
            }
        }
        for reference in context.store.layouts.oneWayReferences(to: layout) {
            let rows = try referring.rows(
                reference.columns, in: context.layouts[reference.entity], of: keys, forDeletion: false)
            note(rows, false, reference.slot)
        }
        for link in context.store.layouts.oneWayLinks(to: layout) {
            let rows = try ReferringRows(context, transaction, locks: false).owners(
                link.columns, in: context.layouts[link.entity], of: keys)
            note(rows, false, link.slot)
        }
    }

    /// Returns the destinations of a to-one, without locks: they are not written.
    private func owners(
        _ relationship: RelationshipLayout, _ columns: ForeignKeyColumns, _ keys: [Int64],
        _ layout: EntityLayout
    ) throws -> [ReferringRows.Row] {
        if relationship.inverse == nil { return [] }
        return try ReferringRows(context, transaction, locks: false).destinations(
            relationship, of: keys, layout)
    }

    private mutating func note(_ rows: [ReferringRows.Row], _ isDeletion: Bool, _ slot: Int?) {
        for row in rows {
            let place = StoredChanges.Place(root: context.layouts[row.entity].root, key: row.key)
            if let slot {
                transaction.stored.add(
                    .init(
                        kind: .update, entity: row.entity, isExact: true,
                        slots: context.layouts[row.entity].changedSlots([slot])), of: place)
            }
            if isDeletion { mark(row.entity, row.key, row.tombstone) }
        }
    }

    /// Adds the deleted rows to the changes of the transaction, once they are deleted. Those that no trigger deleted are
    /// still there.
    func note() throws {
        let own = context.store.layouts
        let groups = deleted.sorted { $0.key < $1.key }
        let results = try transaction.run(
            groups.map { root, rows in
                let table = own.entities[root].table
                var parameters = Parameters()
                parameters.append(rows.keys.sorted())
                return SaveStatement(
                    "SELECT \(table.key.name) FROM \(table) WHERE \(table.key.name) = ANY($1)", parameters,
                    about: .init(.select, table.subject))
            })
        for ((root, rows), result) in zip(groups, results) {
            let remaining = Set(result.map { $0[0].int64 })
            for (key, row) in rows.sorted(by: { $0.key < $1.key }) where !remaining.contains(key) {
                transaction.stored.add(
                    .init(kind: .deletion, entity: row.entity, isExact: true, tombstone: row.tombstone),
                    of: .init(root: root, key: key))
            }
        }
    }
}
