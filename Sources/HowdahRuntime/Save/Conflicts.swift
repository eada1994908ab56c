import HowdahModel
import PQClient

/// Explains missed rows: looks at what the store holds now and names the objects and properties that differ.
struct Conflicts {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// The error for statements that touched fewer rows than they must.
    func error(_ missed: [SaveStatement.Guarded]) throws -> SaveError {
        var keys: [String: Set<Int64>] = [:]
        for statement in missed { keys[statement.table, default: []].formUnion(statement.keys) }
        return try error(
            (context.updatedObjects + context.deletedObjects).filter {
                keys[$0.layout.table.name]?.contains($0.key) ?? false
            },
            onlyChanged: true)
    }

    /// The error for objects whose rows are not those that were read.
    func error(_ objects: [ManagedObject], onlyChanged: Bool = false) throws -> SaveError {
        var conflicts: [SaveConflict] = []
        for (entity, members) in Dictionary(grouping: objects, by: { $0.layout.index }) {
            let layout = context.layouts[entity]
            let rows = try storedRows(layout, members.map(\.key))
            for object in members {
                let stored = rows[object.key]
                let isUnread = object._flags.contains(.fault)
                if onlyChanged, let stored, isUnread || stored.version == object.version { continue }
                conflicts.append(conflict(object, stored))
            }
        }
        guard !conflicts.isEmpty else {
            return SaveError(
                .database,
                "\(objects.count) rows could not be written although nobody changed them; "
                    + "look for a trigger or a row policy that holds them back.")
        }
        conflicts.sort { $0.objectID.key < $1.objectID.key }
        return SaveError(
            .conflict,
            "\(conflicts.count) object\(conflicts.count == 1 ? " was" : "s were") changed or deleted elsewhere since read; "
                + "refresh them and apply the change again.", conflicts: conflicts)
    }

    private struct StoredRow {
        let version: Int64
        let values: [Value]
    }

    private func storedRows(_ layout: EntityLayout, _ keys: [Int64]) throws -> [Int64: StoredRow] {
        let selection = context.store.layouts.selection(of: layout)
        var parameters = Parameters()
        parameters.append(keys)
        let result = try transaction.query(
            "SELECT \(selection.text(alias: "t")) FROM \(layout.table) t WHERE \(layout.table.key("t")) = ANY($1)",
            parameters)
        let positions = selection.positions(of: layout.index)
        var rows: [Int64: StoredRow] = [:]
        try selection.check(result, first: 0)
        result.forEachRow { row in
            rows[row[0].int64] = positions.withUnsafeBufferPointer { positions in
                guard let base = positions.baseAddress else {
                    return StoredRow(version: row[1].int64, values: [])
                }
                var reader = RowReader(row: row, positions: base, layout: layout)
                let values = layout.slots.indices.map { value(&reader, layout, $0) }
                return StoredRow(version: row[1].int64, values: values)
            }
        }
        return rows
    }

    private func value(_ reader: inout RowReader, _ layout: EntityLayout, _ slot: Int) -> Value {
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            return layout.slots[slot].columns.isEmpty ? .null : reader.value(attribute.type)
        case .toOne:
            if layout.slots[slot].columns.isEmpty { return .null }
            let field = reader.toOne(slot)
            return field.entity >= 0 ? .int(field.key) : .null
        case .toMany: return .null
        }
    }

    private func conflict(_ object: ManagedObject, _ stored: StoredRow?) -> SaveConflict {
        let layout = object.layout
        let differing = stored.map { stored in
            layout.slots.indices.filter {
                layout.attribute($0)?.isDerived != true && read(object, $0) != stored.values[$0]
            }
            .map { layout.slots[$0].name }
        }
        // Where no value differs, it was a to-many that is kept by the row.
        let lists = layout.relationshipSlots.map(layout.relationship).filter(\.isKeptByOwner).map(\.name)
        return SaveConflict(
            objectID: object.objectID, entityName: layout.name,
            properties: differing.map { $0.isEmpty ? lists : $0 } ?? [],
            changedProperties: object.changedPropertyNames, isDeleted: stored == nil)
    }

    /// The value that was read from the store, before any change here.
    private func read(_ object: ManagedObject, _ slot: Int) -> Value {
        guard !object.layout.slots[slot].columns.isEmpty else { return .null }
        let original =
            object.changes?.originals.first { $0.slot == slot }?.original ?? object.original(at: slot)
        switch original {
        case .value(let value): return value
        case .toOne(let field): return field.entity >= 0 ? .int(field.object?.key ?? field.key) : .null
        }
    }
}
