import HowdahModel

extension StoredChanges {
    /// Collects the changes of a save before its context adopts it. The former destinations are known then.
    init(_ settled: SettledChanges, _ keys: NewKeys, in context: ManagedObjectContext) {
        var walk = Walk(context: context, keys: keys, dropped: settled.dropped)
        walk.found.reserve(settled.inserted.count + settled.updated.count)
        for object in settled.inserted { walk.add(object, .insertion) }
        let deleted = settled.deletedRows.flatMap { root, rows in rows.map { (root, $0, $1) } }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        for (root, key, row) in deleted {
            let tombstone = row.tombstone ?? row.object.flatMap { Tombstone.text(of: $0) }
            walk.add(root, key, row.entity, isExact: true, .deletion, tombstone: tombstone)
        }
        for update in settled.updated { walk.add(update.object, .update, SlotSet(update)) }
        for object in settled.inserted { walk.addEnds(of: object) }
        for update in settled.updated { walk.addEnds(of: update.object, update.slots) }
        for (_, gone) in settled.deletedRows {
            for row in gone.values {
                if let object = row.object { walk.addEnds(of: object) }
            }
        }
        for link in settled.links where !walk.isDropped(link.owner) && !walk.isDropped(link.member) {
            walk.add(link.owner, .update, SlotSet([link.slot]))
            // Without an inverse, no property of the member changes, and it may be gone.
            if let inverse = link.inverse { walk.add(link.member, .update, SlotSet([inverse])) }
        }
        for list in settled.lists { walk.add(list.owner, .update, SlotSet([list.relationship.slot])) }
        for (place, keys) in settled.nullifications {
            let layout = context.layouts[place.entity]
            let slots = SlotSet([place.slot] + (layout.derived?.moments ?? []))
            for key in keys { walk.add(layout.root, key, place.entity, isExact: true, .update, slots) }
        }
        for (place, keys) in settled.otherEnds.sorted(by: {
            ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot)
        }) {
            let root = context.layouts[place.entity].root
            for key in keys {
                walk.add(root, key, place.entity, isExact: true, .update, SlotSet([place.slot]))
            }
        }
        for (root, keys) in settled.movedOwners {
            for key in keys { walk.add(root, key, root, isExact: false, .update) }
        }
        self = walk.found
    }

    /// The objects of a save, as rows.
    private struct Walk {
        let context: ManagedObjectContext
        let keys: NewKeys
        /// The new objects that are deleted before they were stored.
        let dropped: Set<ObjectIdentifier>
        var found = StoredChanges()

        func isDropped(_ object: ManagedObject) -> Bool {
            !dropped.isEmpty && dropped.contains(ObjectIdentifier(object))
        }

        mutating func add(_ object: ManagedObject, _ kind: Kind, _ slots: SlotSet? = nil) {
            if isDropped(object) { return }
            add(object.layout.root, keys[object], object.layout.index, isExact: true, kind, slots)
        }

        mutating func add(
            _ root: Int, _ key: Int64, _ entity: Int, isExact: Bool, _ kind: Kind, _ slots: SlotSet? = nil,
            tombstone: String? = nil
        ) {
            // One that is forgotten with this save never was a row.
            guard key > 0 else { return }
            var change = Change(
                kind: kind, entity: entity, isExact: isExact, slots: slots, tombstone: tombstone)
            if !isExact, context.layouts[entity].isAlone {
                change.isExact = true
            } else if !isExact, let object = context.registry.find(root: root, key: key) {
                (change.entity, change.isExact) = (object.layout.index, true)
            }
            found.add(change, of: Place(root: root, key: key))
        }

        /// Adds the former and present other ends of an object's to-ones.
        mutating func addEnds(of object: ManagedObject, _ slots: [Int]? = nil) {
            for slot in slots ?? object.layout.relationshipSlots {
                guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                    let inverse = relationship.inverse, !relationship.isTransient
                else { continue }
                let changed = SlotSet([inverse])
                for end in [object.read(slot), object.original(at: slot)] {
                    guard case .toOne(let field) = end, field.entity >= 0 else { continue }
                    if let destination = field.object {
                        add(destination, .update, changed)
                    } else {
                        let entity = Int(field.entity)
                        add(context.layouts[entity].root, field.key, entity, isExact: true, .update, changed)
                    }
                }
            }
        }
    }

    /// Adds the rows whose derived attributes statements of a save compute.
    mutating func add(_ derived: [SaveStatement], in context: ManagedObjectContext) {
        for case let group? in derived.map(\.derived) {
            if group.keys.dropFirst().allSatisfy(\.isEmpty) {
                add(updated: group.keys[0].sorted(), of: group.group.layout, group.group.slots, in: context)
            } else {
                add(Found(group: group.group, keys: group.keys))
            }
        }
    }

    /// Adds updated rows of an entity or its descendants.
    mutating func add(
        updated keys: [Int64], of layout: EntityLayout, _ slots: SlotSet?, in context: ManagedObjectContext
    ) {
        for key in keys {
            let object = layout.isAlone ? nil : context.registry.find(root: layout.root, key: key)
            add(
                Change(
                    kind: .update, entity: object?.layout.index ?? layout.index,
                    isExact: layout.isAlone || object != nil, slots: slots),
                of: Place(root: layout.root, key: key))
        }
    }
}

extension SlotSet {
    /// The slots that an update of an object writes, and those that the server generates from them.
    fileprivate init(_ update: ChangeSet.Update) {
        self.init(update.slots)
        guard let derived = update.object.layout.derived else { return }
        for slot in derived.generated(from: update.slots) { insert(slot) }
    }
}

extension EntityLayout {
    /// A Boolean value that indicates whether all rows that are found by the entity are of it.
    var isAlone: Bool { discriminator == nil || family.count == 1 }
}
