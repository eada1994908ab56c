import HowdahModel
import PQClient

/// Finds, before anything is written, the stored rows with unique values that a save is about to store.
///
/// It sends one statement per constraint.
struct UniquenessClashes {
    let context: ManagedObjectContext
    let transaction: SaveTransaction
    let settled: SettledChanges

    private struct Candidate {
        let object: ManagedObject
        let columns: [UniqueColumn]
        let values: [Value]
    }

    private struct Clash {
        let object: ManagedObject
        let unique: StoreSchema.Unique
        let key: Int64
        let storedName: String?
    }

    /// Throws if there are any, with the conflicts for the context.
    ///
    /// - Throws: `SaveError.uniqueness` naming every object concerned.
    func check() throws {
        let clashes = try found()
        guard !clashes.isEmpty else { return }
        try context.changes.noteConstraintConflicts(conflicts(clashes))
        let issues = clashes.map { clash in
            ValidationIssue(
                clash.object.objectID, clash.object.layout.name, clash.unique.origin.properties,
                ValidationIssue.uniqueness,
                ValidationIssue.unique(clash.unique.origin.properties, ValidationIssue.takenAlready))
        }
        throw SaveError(
            .uniqueness,
            "Another object has the same value. Change the properties that the issues name, and retry.",
            issues: issues)
    }

    private func found() throws -> [Clash] {
        let layouts = context.store.layouts
        var clashes: [Clash] = []
        let written =
            settled.inserted.map { (object: $0, slots: nil) }
            + settled.updated.map { (object: $0.object, slots: Optional($0.slots)) }
        for (root, members) in Dictionary(grouping: written, by: { $0.object.layout.root }) {
            guard let table = layouts.schema.entities[context.layouts[root].name]?.table else { continue }
            for unique in layouts.schema.table(named: table)?.uniques ?? [] {
                let candidates = members.compactMap { candidate($0.object, $0.slots, unique) }
                if !candidates.isEmpty { clashes += try stored(candidates, unique, root) }
            }
        }
        return clashes
    }

    private func candidate(
        _ object: ManagedObject, _ slots: [Int]?, _ unique: StoreSchema.Unique
    ) -> Candidate? {
        guard let origin = context.store.layouts.layout(named: unique.origin.entity),
            origin.family.contains(object.layout.index),
            let columns = UniqueColumn.columns(unique, in: object.layout)?.filter(\.isKey)
        else { return nil }
        let values = columns.map { $0.held($0.present(in: object)) }
        if values.contains(.null) { return nil }
        // What no column takes is in no row; the save says so together with what else is wrong.
        let isUnstorable = zip(columns, values).contains { column, value in
            StoredLeaf(path: "", column: object.layout.columns[column.position], value: value).refusal != nil
        }
        if isUnstorable { return nil }
        if let slots {
            guard columns.contains(where: { slots.contains($0.slot) }) else { return nil }
            if values == columns.map({ $0.held($0.stored(in: object)) }) { return nil }
        }
        return Candidate(object: object, columns: columns, values: values)
    }

    private func stored(
        _ candidates: [Candidate], _ unique: StoreSchema.Unique, _ root: Int
    ) throws -> [Clash] {
        let layout = context.layouts[root]
        let origin = context.store.layouts.layout(named: unique.origin.entity)
        let family = Set((origin?.family ?? []).map { context.layouts[$0].storedName })
        var clashes: [Clash] = []
        for start in stride(from: 0, to: candidates.count, by: SaveBatches.chunk) {
            let part = Array(candidates[start..<min(start + SaveBatches.chunk, candidates.count)])
            let result = try transaction.run([try statement(part, unique, layout)])[0]
            try result.forEachRow { row in
                let candidate = part[Int(row[0].int64) - 1]
                let name = layout.discriminator == nil ? nil : row[2].string()
                // A constraint of a subentity says nothing of other rows of the table.
                if let name, !family.contains(name) { return }
                let key = try row.integer(1, "_id", of: layout)
                if keeps(key, candidate, root) {
                    clashes.append(
                        Clash(object: candidate.object, unique: unique, key: key, storedName: name))
                }
            }
        }
        return clashes
    }

    /// Returns a Boolean value that indicates whether the row will still have the values after the save.
    private func keeps(_ key: Int64, _ candidate: Candidate, _ root: Int) -> Bool {
        if key == candidate.object.key || settled.deletedRows[root]?[key] != nil { return false }
        guard let object = context.registry.find(root: root, key: key), !object.isFault else {
            return true
        }
        let slots = settled.updated.first { $0.object === object }?.slots ?? []
        return !candidate.columns.contains { column in
            slots.contains(column.slot)
                && column.held(column.stored(in: object)) != column.held(column.present(in: object))
        }
    }

    private func statement(
        _ candidates: [Candidate], _ unique: StoreSchema.Unique, _ layout: EntityLayout
    ) throws -> SaveStatement {
        var parameters = Parameters()
        var (names, conditions): ([String], [String]) = ([], [])
        let fold = FoldingFunction(.caseInsensitive, in: layout.folding)
        for (place, column) in candidates[0].columns.enumerated() {
            let stored = candidates[0].object.layout.columns[column.position]
            try parameters.appendArray(of: stored.sent, count: candidates.count) { cells in
                for candidate in candidates { try cells.write(candidate.values[place], as: stored.type) }
            }
            names.append("c\(place)")
            let folding = stored.isCaseInsensitive ? fold : nil
            // The values are folded here already; the server's word counts.
            let sides = [stored.compared("t"), "v.c\(place)"].map { folding?.sql($0) ?? $0 }
            conditions.append(sides.joined(separator: " = "))
            if stored.hasDigestIndex {
                let digests = sides.map { stored.type.digest(of: $0) }
                conditions.append(digests.joined(separator: " = "))
            }
        }
        let entity = layout.discriminator.map { ", t.\($0)" } ?? ""
        return SaveStatement(
            "SELECT v.n, \(layout.table.key("t"))\(entity) FROM \(SQLRows.unnesting(parameters.count)) WITH ORDINALITY AS v(\(names.joined(separator: ", ")), n) "
                + "JOIN \(layout.table) t ON \(conditions.joined(separator: " AND "))", parameters,
            about: .init(.select, layout.table.subject))
    }

    /// Returns the conflicts that a policy can resolve.
    ///
    /// It has none if one object meets two rows, two objects one row, or an object a row of another entity.
    private func conflicts(_ clashes: [Clash]) throws -> [ConstraintConflict] {
        var keys: [ObjectIdentifier: Set<Int64>] = [:]
        var objects: [Int64: Set<ObjectIdentifier>] = [:]
        for clash in clashes {
            keys[ObjectIdentifier(clash.object), default: []].insert(clash.key)
            objects[clash.key, default: []].insert(ObjectIdentifier(clash.object))
        }
        guard keys.values.allSatisfy({ $0.count == 1 }), objects.values.allSatisfy({ $0.count == 1 }),
            clashes.allSatisfy({ $0.storedName == nil || $0.storedName == $0.object.layout.storedName })
        else { return [] }
        var found: [ConstraintConflict] = []
        for (entity, members) in Dictionary(grouping: clashes, by: { $0.object.layout.index }) {
            let rows = try StoredRow.read(
                members.map(\.key), of: context.layouts[entity], in: context,
                by: transaction.query(_:_:about:))
            var known: Set<ObjectIdentifier> = []
            for clash in members where known.insert(ObjectIdentifier(clash.object)).inserted {
                guard let row = rows[clash.key] else { continue }
                found.append(ConstraintConflict(clash.object, clash.unique, key: clash.key, row))
            }
        }
        return found
    }
}
