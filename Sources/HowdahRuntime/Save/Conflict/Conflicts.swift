import HowdahModel
import PQClient

/// Explains missing rows: compares the store's present values and names the objects and properties that
/// differ.
struct Conflicts {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Returns the error for statements that touched fewer rows than they must.
    func error(_ missed: [SaveStatement.Guarded]) throws -> SaveError {
        var keys: [String: Set<Int64>] = [:]
        for statement in missed { keys[statement.table, default: []].formUnion(statement.keys) }
        var objects = (context.updatedObjects + context.deletedObjects).filter {
            keys[$0.layout.table.name]?.contains($0.key) ?? false
        }
        // Owners whose versions the save moves have no changes of their own.
        let known = Set(objects.map(ObjectIdentifier.init))
        for layout in context.layouts where layout.root == layout.index {
            for key in (keys[layout.table.name] ?? []).sorted() {
                guard let object = context.registry.find(root: layout.root, key: key),
                    !known.contains(ObjectIdentifier(object))
                else { continue }
                objects.append(object)
            }
        }
        return try error(objects, onlyChanged: true)
    }

    /// Returns the error for objects whose rows differ from those that were read.
    func error(_ objects: [ManagedObject], onlyChanged: Bool = false) throws -> SaveError {
        var conflicts: [SaveConflict] = []
        var merges: [MergeConflict] = []
        context.changes.noteConflicts([])
        for (entity, members) in Dictionary(grouping: objects, by: { $0.layout.index }) {
            let layout = context.layouts[entity]
            let rows = try StoredRow.read(
                members.map(\.key), of: layout, in: context, by: transaction.query(_:_:about:))
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
                merges.append(MergeConflict(object, stored, lists: lists[ObjectIdentifier(object)] ?? []))
            }
        }
        context.changes.noteConflicts(merges)
        guard !conflicts.isEmpty else {
            let names = Set(objects.map(\.layout.name)).sorted().joined(separator: ", ")
            return Self.unwritten(names)
        }
        return Self.error(conflicts)
    }

    /// Returns the error for rows that are present in their versions, and that the server did not write.
    static func unwritten(_ names: String) -> SaveError {
        SaveError(
            .database,
            "Rows of \(names) were not written, although no other session had changed them. Look for a "
                + "trigger or a row security policy that excludes these rows.")
    }

    /// Returns the error that lists these conflicts.
    static func error(_ conflicts: [SaveConflict]) -> SaveError {
        SaveError(
            .conflict,
            "\(conflicts.count) object\(conflicts.count == 1 ? " was" : "s were") changed or deleted by "
                + "another session after this context read "
                + "\(conflicts.count == 1 ? "it. Refresh it" : "them. Refresh them"), and apply the change "
                + "again.",
            conflicts: conflicts.sorted { $0.objectID.key < $1.objectID.key })
    }

    /// Returns the changes to an object whose row has another version than the program named.
    ///
    /// - Parameter stored: The row; nil if the object has its values.
    static func conflict(
        ofNamed object: ManagedObject, _ stored: StoredRow?, _ context: ManagedObjectContext
    ) -> SaveConflict {
        let changed = context.changedPropertyNames(of: object)
        let values = object.values(of: Set(changed), stored).mapValues { values in
            let present = stored == nil ? values.base : values.stored
            return SaveConflict.Values(base: present, local: values.local, stored: present)
        }
        var conflict = SaveConflict(
            objectID: object.objectID, entityName: object.layout.name, properties: changed,
            changedProperties: changed, values: values, isDeleted: false,
            isDeletedHere: object._flags.contains(.deleted))
        conflict.isOfNamedVersion = true
        conflict.version = ObjectVersion(row: stored?.version ?? object.rowVersion)
        return conflict
    }

    /// Returns the changes of both sides to an object.
    ///
    /// - Parameter lists: The to-manys kept by the row that are known to differ.
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
                    return !object.isAlike(object.read(slot), value, at: slot)
                })
            // Where no value differs, it was a to-many that is kept by the row; what was loaded is known to be the same.
            if differing.isEmpty {
                let kept = layout.relationshipSlots.filter { layout.relationship($0).isKeptByOwner }
                let unread = kept.filter { object._toManyState(at: $0)?.isLoaded != true }
                differing.formUnion(unread.isEmpty ? kept : unread)
            }
        }
        let properties = stored == nil ? [] : differing.sorted().map { layout.slots[$0].name }
        let changed = context.changedPropertyNames(of: object)
        return SaveConflict(
            objectID: object.objectID, entityName: layout.name, properties: properties,
            changedProperties: changed, values: object.values(of: Set(properties + changed), stored),
            version: stored.map { ObjectVersion(row: $0.version) }, isDeleted: stored == nil,
            isDeletedHere: object._flags.contains(.deleted))
    }
}

extension ManagedObject {
    /// Returns the values that a conflict compares, by the names of their properties.
    fileprivate final func values(
        of names: Set<String>, _ stored: StoredRow?
    ) -> [String: SaveConflict.Values] {
        func plain(_ original: ChangeRecord.Original?, _ slot: Int) -> (any Sendable)? {
            switch original {
            case .value(let value):
                return layout.attribute(slot).flatMap { ValueCoding.any(value, of: $0.type) }
            case .toOne(let field) where field.entity >= 0:
                let destination = field.object ?? owner?.object(entity: Int(field.entity), key: field.key)
                let id: ObjectID<ManagedObject>? = destination?.objectID
                return id
            case .toOne, nil: return nil
            }
        }
        var values: [String: SaveConflict.Values] = [:]
        for slot in layout.slots.indices where names.contains(layout.slots[slot].name) {
            if layout.slots[slot].columns.isEmpty || layout.attribute(slot)?.isDerived == true { continue }
            values[layout.slots[slot].name] = SaveConflict.Values(
                base: plain(read(slot), slot), local: plain(original(at: slot), slot),
                stored: plain(stored?.values[slot], slot))
        }
        return values
    }
}

extension ManagedObjectContext {
    /// Returns the changed properties of an object, with the to-manys whose links are to be added or removed.
    fileprivate func changedPropertyNames(of object: ManagedObject) -> [String] {
        var names = Set(object.changedPropertyNames)
        for link in changes.links(of: object) {
            if link.owner === object { names.insert(object.layout.slots[link.slot].name) }
            if link.member === object, let inverse = link.inverse {
                names.insert(object.layout.slots[inverse].name)
            }
        }
        return object.layout.slots.map(\.name).filter(names.contains)
    }
}
