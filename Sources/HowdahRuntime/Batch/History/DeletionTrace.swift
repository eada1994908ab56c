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
    /// The owners of links to deleted rows, by their roots and keys, with the relationships that lose them.
    private var owners: [Int: [Int64: LinkOwner]] = [:]
    /// The rows that the request itself deletes.
    private(set) var keys: [Int64] = []

    /// A row that is not locked. It may be deleted by another transaction before the links are.
    private struct LinkOwner {
        let entity: Int
        var slots: [Int] = []
    }

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
            for row in rows {
                let root = context.layouts[row.entity].root
                owners[root, default: [:]][row.key, default: LinkOwner(entity: row.entity)].slots
                    .append(link.slot)
            }
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
            if let slot { add([slot], to: row.entity, row.key) }
            if isDeletion { mark(row.entity, row.key, row.tombstone) }
        }
    }

    private func add(_ slots: [Int], to entity: Int, _ key: Int64) {
        let layout = context.layouts[entity]
        transaction.stored.add(
            .init(kind: .update, entity: entity, isExact: true, slots: layout.changedSlots(slots)),
            of: .init(root: layout.root, key: key))
    }

    /// Adds the deleted rows to the changes of the transaction, once they are deleted. Those that no trigger deleted are
    /// still there.
    ///
    /// So are the owners of links that no other transaction deleted. From now on none can do so before this one ends,
    /// because it would delete the same links.
    func note() throws {
        let (groups, linked) = (deleted.sorted { $0.key < $1.key }, owners.sorted { $0.key < $1.key })
        var results = try transaction.run(
            groups.map { presence($0, of: $1.keys) } + linked.map { presence($0, of: $1.keys) }
        ).map { Set($0.map { $0[0].int64 }) }[...]
        for (root, rows) in groups {
            let remaining = results.removeFirst()
            for (key, row) in rows.sorted(by: { $0.key < $1.key }) where !remaining.contains(key) {
                transaction.stored.add(
                    .init(kind: .deletion, entity: row.entity, isExact: true, tombstone: row.tombstone),
                    of: .init(root: root, key: key))
            }
        }
        for (_, rows) in linked {
            let remaining = results.removeFirst()
            for (key, owner) in rows.sorted(by: { $0.key < $1.key }) where remaining.contains(key) {
                add(owner.slots, to: owner.entity, key)
            }
        }
    }

    /// Returns a statement that finds those of the keys that rows have.
    private func presence(_ root: Int, of keys: some Sequence<Int64>) -> SaveStatement {
        let table = context.store.layouts.entities[root].table
        var parameters = Parameters()
        parameters.append(keys.sorted())
        return SaveStatement(
            "SELECT \(table.key.name) FROM \(table) WHERE \(table.key.name) = ANY($1)", parameters,
            about: .init(.select, table.subject))
    }
}
