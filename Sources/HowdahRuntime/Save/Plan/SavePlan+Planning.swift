import Foundation
package import HowdahModel
import PQClient

extension SavePlan {
    /// Converts settled objects to rows.
    init(
        _ settled: SettledChanges, parkings: [RowUpdate], orders: ListOrders = ListOrders(), keys: NewKeys,
        layouts: [EntityLayout]
    ) {
        isLocked = settled.isLocked
        self.parkings = parkings
        if settled.isOneUpdate, orders.moves.isEmpty {
            let change = settled.updated[0]
            let (object, layout) = (change.object, change.object.layout)
            var update = RowUpdate(layout.written(change.slots), of: layout)
            var values: [Value] = []
            appendValues(
                of: object, change.slots, settled: settled, orders: orders, keys: keys, layouts: layouts,
                to: &values)
            update.rows = [Row(key: object.key, version: object.version, values: values)]
            updates = [update]
            return
        }
        var planner = Planner(settled: settled, orders: orders, keys: keys, layouts: layouts)
        planner.planUpdates()
        planner.planInserts()
        planner.planLinks()
        movesAway = planner.movesAway.values.sorted(by: Self.inOrder)
        updates = planner.updates.values.sorted(by: Self.inOrder)
        inserts = planner.inserts.sorted { ($0.table.rank, $0.table) < ($1.table.rank, $1.table) }
        linkDeletes = planner.linkDeletes.values.sorted { $0.columns.table < $1.columns.table }
        linkInserts = planner.linkInserts.values.sorted { $0.columns.table < $1.columns.table }
        nullifications = settled.nullifications.map { place, rows in
            let layout = layouts[place.entity]
            let columns = layout.slots[place.slot].columns.map { layout.columns[$0].name }
            let moments = (layout.derived?.moments ?? []).compactMap { slot in
                layout.attribute(slot).map { attribute in
                    (layout.columns[layout.slots[slot].columns.lowerBound], settled.moment(for: attribute))
                }
            }
            return RowNullification(
                table: layout.table, columns: columns, keys: rows.sorted(), moments: moments,
                movesVersions: place.movesVersions(layouts))
        }
        .sorted { ($0.table, $0.columns.joined()) < ($1.table, $1.columns.joined()) }
        deletes = settled.deletedRows.map { root, rows in
            let keys = rows.keys.sorted()
            let versions: [Int64?] = settled.isLocked ? [] : keys.map { rows[$0]?.object?.versionRead }
            return RowDelete(
                table: layouts[root].table, keys: keys, versions: settled.isLocked ? nil : versions)
        }
        .filter { !$0.keys.isEmpty }.sorted { (-$0.table.rank, $0.table) < (-$1.table.rank, $1.table) }
        bumps = settled.movedOwners.map { RowBump(table: layouts[$0].table, keys: $1.sorted()) }
            .sorted { $0.table < $1.table }
        self.orders = OrderRows.all(orders.moves)
        purges = settled.purges.map { LinkPurge(table: $0.subject, column: $0.ownColumn, keys: $1.sorted()) }
            .sorted { ($0.table.quoted, $0.column) < ($1.table.quoted, $1.column) }
    }

    private static func inOrder(_ a: RowUpdate, _ b: RowUpdate) -> Bool {
        (a.table, a.columns.map(\.name).joined()) < (b.table, b.columns.map(\.name).joined())
    }
}

/// Collects rows by shape.
private struct Planner {
    let settled: SettledChanges
    let orders: ListOrders
    let keys: NewKeys
    let layouts: [EntityLayout]
    var updates: [Shape: SavePlan.RowUpdate] = [:]
    var movesAway: [Shape: SavePlan.RowUpdate] = [:]
    var inserts: [SavePlan.RowInsert] = []
    var linkDeletes: [JoinColumns: SavePlan.LinkRows] = [:]
    var linkInserts: [JoinColumns: SavePlan.LinkRows] = [:]

    struct Shape: Hashable {
        let entity: Int
        let slots: [Int]
    }

    mutating func planUpdates() {
        for change in settled.updated {
            let object = change.object
            let (shape, row, empty) = parts(of: object, change.slots)
            updates[shape, default: empty].rows.append(row)
            // First out of what is deleted, with the version as it was; all values follow when the way is free.
            let moved = slotsMovedAway(change)
            if !moved.isEmpty {
                let (shape, written, empty) = parts(of: object, moved)
                let row = SavePlan.Row(
                    key: written.key, version: written.version, values: passingValues(of: object, moved))
                movesAway[shape, default: empty].rows.append(row)
            }
        }
        for shape in updates.keys { updates[shape]?.rows.sort { $0.key < $1.key } }
        for shape in movesAway.keys {
            movesAway[shape]?.rows.sort { $0.key < $1.key }
            movesAway[shape]?.bumpsVersion = false
        }
    }

    /// Returns the temporary values of foreign keys.
    ///
    /// A one-to-one destination may still be that of a row which this save deletes, and two rows cannot have
    /// it at once.
    private func passingValues(of object: ManagedObject, _ slots: [Int]) -> [Value] {
        slots.flatMap { slot -> [Value] in
            let relationship = object.layout.relationship(slot)
            var passing = values(of: object, [slot])
            guard relationship.inverse != nil, !relationship.inverseIsToMany, passing.first?.isNull == false
            else { return passing }
            if relationship.isOptional { return passing.map { _ in .null } }
            // Foreign keys are checked at the end of the save, and real keys are positive.
            passing[0] = .passingKey(object.layout.columns[object.layout.slots[slot].columns.lowerBound].type)
            return passing
        }
    }

    /// Returns a row with its shape, which the caller adds.
    ///
    /// If a method changed our own dictionary in place, it would hold a copy of it, and so copy all rows for
    /// each one.
    private func parts(
        of object: ManagedObject, _ slots: [Int]
    ) -> (Shape, SavePlan.Row, empty: SavePlan.RowUpdate) {
        let row = SavePlan.Row(key: object.key, version: object.version, values: values(of: object, slots))
        let empty = SavePlan.RowUpdate(object.layout.written(slots), of: object.layout)
        return (Shape(entity: object.layout.index, slots: slots), row, empty)
    }

    mutating func planInserts() {
        // What is stored again brings a version.
        for (shape, objects) in Dictionary(
            grouping: settled.inserted,
            by: { Shape(entity: $0.layout.index, slots: $0.version > 0 ? [0] : []) })
        {
            let layout = layouts[shape.entity]
            let isAgain = !shape.slots.isEmpty
            var columns = [layout.table.key]
            // A table of another program's has a default of its own, or none.
            let version = isAgain || layout.table.existing != nil ? layout.table.version : nil
            if let version { columns.append(version) }
            if let discriminator = layout.discriminator {
                columns.append(LayoutColumn(quoted: discriminator, .text))
            }
            columns += layout.columnsWritten(for: layout.slots.indices)
            let rows = objects.map { object in
                let key = keys[object]
                var values: [Value] = []
                values.reserveCapacity(columns.count)
                values.append(.int(key))
                if version != nil { values.append(.int(object.version + 1)) }
                if layout.discriminator != nil { values.append(.string(layout.storedName)) }
                appendValues(
                    of: object, layout.slots.indices, settled: settled, orders: orders, keys: keys,
                    layouts: layouts, to: &values)
                return SavePlan.Row(key: key, version: object.version + 1, values: values)
            }
            inserts.append(
                SavePlan.RowInsert(
                    table: layout.table, entity: layout.name, columns: columns,
                    rows: rows.sorted { $0.key < $1.key },
                    readBack: layout.derived.flatMap {
                        ReadBack(layout, $0.generated(from: layout.slots.indices))
                    }))
        }
    }

    mutating func planLinks() {
        for link in settled.links {
            // A link that goes is deleted even where its ends go too: a rule may keep the database from doing it.
            let isGone = settled.isDeleted(link.owner) || settled.isDeleted(link.member)
            let isNew = link.owner.isInserted || link.member.isInserted
            if isGone, link.isInsertion || isNew { continue }
            var pair = SavePlan.LinkRows.Pair(
                own: keys[link.owner], ownEntity: link.owner.layout.storedName, other: keys[link.member],
                otherEntity: link.member.layout.storedName)
            let empty = SavePlan.LinkRows(columns: link.columns, pairs: [])
            if link.columns.orderColumn != nil {
                pair.ownOrder = orders.number(of: link.member, in: link.owner, link.slot)
            }
            if link.columns.otherOrderColumn != nil, let inverse = link.inverse {
                pair.otherOrder = orders.number(of: link.owner, in: link.member, inverse)
            }
            if link.isInsertion {
                linkInserts[link.columns, default: empty].pairs.append(pair)
            } else {
                linkDeletes[link.columns, default: empty].pairs.append(pair)
            }
        }
        // One order for all savers, so that two of them cannot wait for each other's pairs.
        for columns in linkInserts.keys {
            linkInserts[columns]?.pairs.sort { ($0.own, $0.other) < ($1.own, $1.other) }
        }
        for columns in linkDeletes.keys {
            linkDeletes[columns]?.pairs.sort { ($0.own, $0.other) < ($1.own, $1.other) }
        }
    }

    private func values(of object: ManagedObject, _ slots: [Int]) -> [Value] {
        var values: [Value] = []
        appendValues(
            of: object, slots, settled: settled, orders: orders, keys: keys, layouts: layouts, to: &values)
        return values
    }

    /// Returns the foreign keys that move the row away from an object that this save deletes.
    ///
    /// They must be written first, or a cascade of the database deletes the row too. They include those of a
    /// row that only loses its destination. If the foreign key cleared it, a version trigger would treat that
    /// as another program's change. Tables of other programs may count each statement.
    private func slotsMovedAway(_ change: ChangeSet.Update) -> [Int] {
        guard !settled.deletedRows.isEmpty else { return [] }
        let object = change.object
        let originals = object.changes?.originals ?? []
        let left = originals.compactMap { slot, original -> Int? in
            guard change.slots.contains(slot), case .toOne(let field) = original, field.entity >= 0 else {
                return nil
            }
            let isGone =
                if let destination = field.object { settled.isDeleted(destination) } else {
                    settled.deletedRows[layouts[Int(field.entity)].root]?[field.key] != nil
                }
            return isGone ? slot : nil
        }
        guard object.layout.table.existing == nil else { return left.sorted() }
        let lost = settled.lostDestinations(of: object, layouts: layouts).filter { slot in
            change.slots.contains(slot) && !originals.contains { $0.slot == slot }
        }
        return (left + lost).sorted()
    }
}

extension SavePlan.RowUpdate {
    /// Creates an update without rows.
    fileprivate init(_ written: WrittenColumns, of layout: EntityLayout) {
        self.init(
            table: layout.table, entity: layout.name, columns: written.columns, rows: [],
            readBack: written.readBack, textForRow: written.textForRow)
    }
}

/// Appends the values that a save writes for some slots of an object.
///
/// It is a function, because each member of a planner would be copied with it for a single row.
private func appendValues(
    of object: ManagedObject, _ slots: some Sequence<Int>, settled: SettledChanges, orders: ListOrders,
    keys: NewKeys, layouts: [EntityLayout], to values: inout [Value]
) {
    let layout = object.layout
    for slot in slots {
        // Transient attributes have no place in the row.
        guard !layout.slots[slot].columns.isEmpty else { continue }
        switch layout.slots[slot].kind {
        case .attribute(let attribute) where attribute.isDerived:
            guard let derived = layout.derived, !derived.isGenerated(slot) else { continue }
            values.append(derived.initialValues[slot] ?? settled.moment(for: attribute))
        case .attribute(let attribute):
            object._value(at: slot).appendLeaves(of: attribute.type, to: &values)
        case .toOne(let relationship):
            guard case .foreignKey(let columns) = relationship.storage else { continue }
            let field = settled.destination(of: object, slot: slot, layouts: layouts)
            values.append(field.isNone ? .null : .int(field.object.map { keys[$0] } ?? field.key))
            if columns.entityColumn != nil {
                values.append(field.isNone ? .null : .string(layouts[Int(field.entity)].storedName))
            }
            if columns.orderColumn != nil {
                let place = field.object.flatMap { owner in
                    relationship.inverse.flatMap { orders.number(of: object, in: owner, $0) }
                }
                let number = place ?? orders.number(returning: object, slot)
                values.append(number.map(Value.int) ?? .null)
            }
        case .toMany: break
        }
    }
}

extension SavePlan.OrderRows {
    /// Returns the rows of moved members, by the column of their numbers.
    fileprivate static func all(_ moves: [ListOrders.Move]) -> [Self] {
        var tables: [[String]: Self] = [:]
        for move in moves {
            let (table, keyColumns, column): (StatementTable, [String], String?)
            let keys: [Int64]
            switch move.relationship.storage {
            case .inverse(let columns):
                (table, keyColumns, column) = (
                    columns.table.subject, [columns.table.key.name], columns.orderColumn
                )
                keys = [move.member.key]
            case .join(let columns):
                (table, keyColumns, column) = (
                    columns.subject, [columns.ownColumn, columns.otherColumn], columns.orderColumn
                )
                keys = [move.owner.key, move.member.key]
            case .foreignKey, .memory: continue
            }
            guard let column else { continue }
            let empty = Self(table: table, keyColumns: keyColumns, orderColumn: column, rows: [])
            tables[[table.quoted, column], default: empty].rows.append(.init(keys: keys, number: move.number))
        }
        return tables.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, rows in
            var rows = rows
            rows.rows.sort { $0.keys.lexicographicallyPrecedes($1.keys) }
            return rows
        }
    }
}

extension ManagedObject {
    /// The version that was read; nil for an object that is deleted without having been read.
    fileprivate final var versionRead: Int64? { _flags.contains(.fault) ? nil : version }
}

extension Value {
    /// Appends one scalar per column of an attribute of `type`.
    package func appendLeaves(of type: AttributeType, to leaves: inout [Value]) {
        guard case .composite(let description) = type.kind else {
            if type.columnCount == 1 { leaves.append(self) }
            return
        }
        if case .composite(let elements) = self, elements.count == description.elements.count {
            for (element, attribute) in zip(elements, description.elements) where attribute.isStored {
                element.appendLeaves(of: attribute.type, to: &leaves)
            }
        } else {
            for attribute in description.elements where attribute.isStored {
                Value.null.appendLeaves(of: attribute.type, to: &leaves)
            }
        }
    }
}
