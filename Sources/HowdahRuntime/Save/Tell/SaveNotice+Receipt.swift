import HowdahModel

extension SaveNotice {
    /// Creates the notice of a save before its context adopts it. The former destinations are known then.
    init(_ receipt: SaveReceipt, in context: ManagedObjectContext) {
        var rows = Rows(context: context, keys: receipt.keys)
        let settled = receipt.settled
        let inserted = settled.inserted.compactMap { rows.take($0) }
        let deleted = settled.deletedRows.flatMap { root, rows in rows.map { (root, $0, $1.entity) } }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .compactMap { rows.take(root: $0.0, key: $0.1, entity: $0.2) }
        var updated = settled.updated.compactMap { rows.take($0.object) }
        for object in settled.inserted { updated += rows.takeEnds(of: object) }
        for update in settled.updated { updated += rows.takeEnds(of: update.object, update.slots) }
        for (_, gone) in settled.deletedRows {
            for object in gone.values.compactMap(\.object) { updated += rows.takeEnds(of: object) }
        }
        for link in settled.links { updated += [link.owner, link.member].compactMap { rows.take($0) } }
        for (place, keys) in settled.nullifications {
            let root = context.layouts[place.entity].root
            updated += keys.compactMap { rows.take(root: root, key: $0, entity: place.entity) }
        }
        for (root, keys) in settled.movedOwners {
            updated += keys.compactMap { rows.take(root: root, key: $0, entity: root) }
        }
        updated += receipt.derived.compactMap { rows.take(root: $0.root, key: $0.key, entity: $0.root) }
        self.init(inserted: inserted, updated: updated, deleted: deleted)
    }

    /// The ids of rows, each given once.
    struct Rows {
        let context: ManagedObjectContext
        /// The keys of the new rows; nil for a child, in which ids of new objects are temporary.
        let keys: NewKeys?
        private var isKnown: Set<Place> = []

        private struct Place: Hashable {
            let root: Int
            let key: Int64
        }

        init(context: ManagedObjectContext, keys: NewKeys?) {
            self.context = context
            self.keys = keys
        }

        mutating func take(_ object: ManagedObject) -> ObjectID<ManagedObject>? {
            take(root: object.layout.root, key: keys?[object] ?? object.key, entity: object.layout.index)
        }

        mutating func take(root: Int, key: Int64, entity: Int) -> ObjectID<ManagedObject>? {
            // One that is forgotten with this save never was a row.
            guard key > 0 || keys == nil, isKnown.insert(Place(root: root, key: key)).inserted else {
                return nil
            }
            // A row that is registered has its own entity's name, others that of the one they were found by.
            let layout = context.registry.find(root: root, key: key)?.layout ?? context.layouts[entity]
            return ObjectID(
                storeIdentifier: context.store.identifier, entityName: layout.storedName, key: key)
        }

        /// Returns the former and present other ends of an object's to-ones.
        mutating func takeEnds(of object: ManagedObject, _ slots: [Int]? = nil) -> [ObjectID<ManagedObject>] {
            var ids: [ObjectID<ManagedObject>] = []
            for slot in slots ?? object.layout.relationshipSlots {
                guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                    relationship.inverse != nil, !relationship.isTransient
                else { continue }
                for end in [object.read(slot), object.original(at: slot)] {
                    guard case .toOne(let field) = end, field.entity >= 0 else { continue }
                    if let destination = field.object {
                        if let id = take(destination) { ids.append(id) }
                    } else if let id = take(
                        root: context.layouts[Int(field.entity)].root, key: field.key,
                        entity: Int(field.entity))
                    {
                        ids.append(id)
                    }
                }
            }
            return ids
        }
    }
}

extension ManagedObjectContext {
    /// Returns the notice of a save, before it is adopted; nil without listeners.
    func notice(of receipt: SaveReceipt) -> SaveNotice? {
        guard isHeard else { return nil }
        let notice = SaveNotice(receipt, in: self)
        return notice.isEmpty ? nil : notice
    }

    /// A Boolean value that indicates whether a listener needs the objects that a save changes.
    var isHeard: Bool {
        recorder.hasListeners || followed.hasListeners(besides: inbox) || recorder.followers != nil
    }

    /// Sends the notice of a save once it is committed: at once, or after the transaction around `perform`.
    ///
    /// A child's is sent at once, because its changes stay unsaved ones of the parent with any outcome of a
    /// transaction.
    func tell(_ notice: SaveNotice) {
        let telling = { [self, followed, inbox, board = recorder.board] in
            board?.send(.didSave(notice))
            followed.tell(notice, besides: inbox)
            recorder.followers?.tell(notice, besides: nil)
            parent?.mergeBelow()
            mergeBelow()
        }
        if let unit, unit.isTransaction { unit.afterCommit(telling) } else { telling() }
    }
}
