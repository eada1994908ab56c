import Foundation
import HowdahModel

/// Makes history transactions of rows, with the names of the program's model.
struct HistoryAssembly {
    private let layouts: StoreLayout
    private let storeIdentifier: UUID
    private let conditions: HistoryConditions
    private var names: [String: [String: String]] = [:]

    init(_ store: Store, _ conditions: HistoryConditions) {
        layouts = store.layouts
        storeIdentifier = store.identifier
        self.conditions = conditions
    }

    /// Returns the transactions of a reading, in their order.
    mutating func transactions(_ reading: HistoryReading) -> [HistoryTransaction] {
        var transactions: [HistoryTransaction] = []
        var rows = reading.rows[...]
        while let first = rows.first {
            let own = rows.prefix { $0.number == first.number }
            rows = rows.dropFirst(own.count)
            let changes = self.changes(Array(own))
            let changesEverything = own.contains(where: \.entity.isEmpty)
            let isPartial = rows.isEmpty && reading.isPartial
            // A row may match for an object of another entity with the same key.
            if changes.isEmpty, !changesEverything, own.contains(where: { !$0.ids.isEmpty }) { continue }
            transactions.append(
                HistoryTransaction(
                    transactionNumber: first.number, timestamp: first.storedAt,
                    token: token(after: own.last ?? first, isPartial, isLast: rows.isEmpty, in: reading),
                    author: first.author, contextName: first.context, processID: first.process,
                    origin: first.origin, changes: changes,
                    changesEverything: changesEverything, isPartial: isPartial))
        }
        return transactions
    }

    /// Returns the token after a history transaction of a window.
    ///
    /// The last one of a window is its end, and does not expire with changes of the window. A filter may leave out
    /// later ones.
    private func token(
        after row: HistoryRow, _ isPartial: Bool, isLast: Bool, in reading: HistoryReading
    ) -> HistoryToken {
        if isLast, reading.isComplete, !isPartial, conditions.isEmpty { return reading.token }
        guard let end = reading.end else { return reading.token }
        return HistoryToken(
            store: reading.token.store, incarnation: reading.token.incarnation, era: reading.token.era,
            snapshot: reading.start,
            page: HistoryToken.Page(end: end, number: row.number, part: isPartial ? row.part : .max))
    }

    /// Returns the changes of a transaction's rows: one for each object, in the order of the rows.
    private mutating func changes(_ rows: [HistoryRow]) -> [HistoryChange] {
        // Several rows of one entity may have the same object: rows that only the server can find, for example.
        let counts = rows.reduce(into: [:]) { $0[$1.entity, default: 0] += 1 }
        var (changes, places): ([HistoryChange], [ObjectID<ManagedObject>: Int]) = ([], [:])
        for row in rows {
            for change in self.changes(row) {
                if counts[row.entity] == 1 {
                    changes.append(change)
                } else if let place = places[change.changedObjectID] {
                    changes[place].unite(with: change)
                } else {
                    places[change.changedObjectID] = changes.count
                    changes.append(change)
                }
            }
        }
        return changes
    }

    private mutating func changes(_ row: HistoryRow) -> [HistoryChange] {
        let layout = layouts.layout(storedName: row.entity)
        let properties = row.properties.map { stored in Set(stored.map { name($0, of: row.entity, layout) }) }
        let tombstones = row.kind == .delete ? HistoryTombstones(row.tombstones, layout) : nil
        return row.ids.enumerated().compactMap { place, key in
            let id = ObjectID<ManagedObject>(
                storeIdentifier: storeIdentifier, entityName: row.entity, key: key)
            guard conditions.includes(id) else { return nil }
            return HistoryChange(
                id, row.kind, properties: row.kind == .delete ? nil : properties,
                tombstone: tombstones?[place])
        }
    }

    /// Returns the model's name of a stored property; the stored name if the model does not have the
    /// property.
    private mutating func name(_ stored: String, of entity: String, _ layout: EntityLayout?) -> String {
        guard let layout else { return stored }
        let known =
            names[entity]
            ?? Dictionary(
                layout.slots.map { ($0.renamingIdentifier ?? $0.name, $0.name) },
                uniquingKeysWith: { first, _ in first })
        names[entity] = known
        return known[stored] ?? stored
    }
}
