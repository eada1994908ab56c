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
        context.conflicts = []
        for (entity, members) in Dictionary(grouping: objects, by: { $0.layout.index }) {
            let layout = context.layouts[entity]
            let rows = try StoredRow.read(
                members.map(\.key), of: layout, in: context.store.layouts, by: transaction.query)
            var found: [(object: ManagedObject, stored: StoredRow?)] = []
            for object in members {
                let stored = rows[object.key]
                let isUnread = object._flags.contains(.fault)
                if onlyChanged, let stored, isUnread || stored.version == object.version { continue }
                found.append((object, stored))
            }
            let lists = try StoredLists(context, transaction).differing(
                from: found.filter { $0.stored != nil }.map(\.object), layout)
            for (object, stored) in found {
                conflicts.append(
                    Self.conflict(object, stored, context, lists: lists[ObjectIdentifier(object)] ?? []))
                context.conflicts.append(MergeConflict(object, stored))
            }
        }
        guard !conflicts.isEmpty else {
            return SaveError(
                .database,
                "\(objects.count) rows could not be written although nobody changed them; "
                    + "look for a trigger or a row policy that holds them back.")
        }
        return Self.error(conflicts)
    }

    /// The error that tells these conflicts.
    static func error(_ conflicts: [SaveConflict]) -> SaveError {
        SaveError(
            .conflict,
            "\(conflicts.count) object\(conflicts.count == 1 ? " was" : "s were") changed or deleted elsewhere since read; "
                + "refresh them and apply the change again.",
            conflicts: conflicts.sorted { $0.objectID.key < $1.objectID.key })
    }

    /// What both sides did to an object.
    ///
    /// - Parameter lists: the to-manys kept by the row that are known to differ.
    static func conflict(
        _ object: ManagedObject, _ stored: StoredRow?, _ context: ManagedObjectContext, lists: Set<Int> = []
    ) -> SaveConflict {
        let layout = object.layout
        var differing = lists
        if let stored {
            differing.formUnion(
                layout.slots.indices.filter { slot in
                    guard layout.attribute(slot)?.isDerived != true, let value = stored.values[slot] else {
                        return false
                    }
                    return !object.read(slot).isSame(as: value)
                })
            // Where no value differs, it was a to-many that is kept by the row; what was loaded is known to be the same.
            if differing.isEmpty {
                let kept = layout.relationshipSlots.filter { layout.relationship($0).isKeptByOwner }
                let unread = kept.filter { object._toManyState(at: $0)?.isLoaded != true }
                differing.formUnion(unread.isEmpty ? kept : unread)
            }
        }
        return SaveConflict(
            objectID: object.objectID, entityName: layout.name,
            properties: stored == nil ? [] : differing.sorted().map { layout.slots[$0].name },
            changedProperties: context.changedPropertyNames(of: object), isDeleted: stored == nil,
            isDeletedHere: object._flags.contains(.deleted))
    }
}

extension ManagedObjectContext {
    /// The changed properties of an object, with the to-manys whose links are to be made or removed.
    fileprivate func changedPropertyNames(of object: ManagedObject) -> [String] {
        var names = Set(object.changedPropertyNames)
        for link in links.all {
            if link.owner === object { names.insert(object.layout.slots[link.slot].name) }
            if link.member === object, let inverse = link.inverse {
                names.insert(object.layout.slots[inverse].name)
            }
        }
        return object.layout.slots.map(\.name).filter(names.contains)
    }
}
