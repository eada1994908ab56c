import HowdahModel

extension SaveNotice {
    /// Creates the notice of a save's changes, and of the rows whose derived values it read back.
    init(_ stored: StoredChanges, _ derived: [ReadBack.Row], in context: ManagedObjectContext) {
        func id(_ place: StoredChanges.Place, _ entity: Int) -> ObjectID<ManagedObject> {
            // A row that is registered has its own entity's name, others that of the one they were found by.
            let layout =
                context.registry.find(root: place.root, key: place.key)?.layout ?? context.layouts[entity]
            return ObjectID(
                storeIdentifier: context.store.identifier, entityName: layout.storedName, key: place.key)
        }
        var notice = SaveNotice()
        for place in stored.places {
            guard let change = stored.changes[place] else { continue }
            let id = id(place, change.entity)
            switch change.kind {
            case .insertion: notice.insertedObjectIDs.append(id)
            case .update: notice.updatedObjectIDs.append(id)
            case .deletion: notice.deletedObjectIDs.append(id)
            }
        }
        var known: Set<StoredChanges.Place> = []
        for row in derived {
            let place = StoredChanges.Place(root: row.root, key: row.key)
            guard row.key > 0, stored.changes[place] == nil, known.insert(place).inserted else { continue }
            notice.updatedObjectIDs.append(id(place, row.root))
        }
        self = notice
    }

    /// The ids of a child's objects, each given once; those of new objects are temporary.
    struct Rows {
        let context: ManagedObjectContext
        private var isKnown: Set<Place> = []

        private struct Place: Hashable {
            let root: Int
            let key: Int64
        }

        init(context: ManagedObjectContext) { self.context = context }

        mutating func take(_ object: ManagedObject) -> ObjectID<ManagedObject>? {
            take(root: object.layout.root, key: object.key, entity: object.layout.index)
        }

        mutating func take(root: Int, key: Int64, entity: Int) -> ObjectID<ManagedObject>? {
            guard isKnown.insert(Place(root: root, key: key)).inserted else {
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
        guard isHeard, let stored = receipt.stored else { return nil }
        let notice = SaveNotice(stored, receipt.derived, in: self)
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
