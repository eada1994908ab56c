/// The relationships of objects whose deletion was saved, for an undo. The objects keep only their plain
/// values.
struct DeletedRelationships {
    /// The relationships of one deleted object.
    struct Entry {
        let object: ManagedObject
        /// A Boolean value that indicates whether it had a row. If so, its version grows when it is stored
        /// again.
        let wasStored: Bool
        /// The to-ones that the object's own row had.
        var toOnes: [(slot: Int, field: _ToOneField)] = []
        /// The pairs that are not columns of either object's row, by the object's slot.
        var links: [(slot: Int, members: [ManagedObject])] = []
        /// The ordered lists that the object was the owner or a member of.
        var lists: [(owner: ManagedObject, slot: Int, members: [ManagedObject])] = []
        /// The to-ones of others that were undone since and refer to this object: they wait for it.
        var awaiting: [(object: ManagedObject, slot: Int)] = []
        /// The pairs that were undone since and wait for the object.
        var awaitingLinks: [ContextEvent.Link] = []

        init(_ object: ManagedObject) {
            self.object = object
            wasStored = !object._flags.contains(.inserted)
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                if case .toMany = object.layout.slots[slot].kind {
                    guard let state = object._toManyState(at: slot), state.isLoaded else { continue }
                    switch relationship.storage {
                    case .join, .memory: links.append((slot, state.members))
                    case .inverse, .foreignKey: break
                    }
                    if relationship.isOrdered { lists.append((object, slot, state.members)) }
                    for member in state.members { noteList(of: member, relationship) }
                } else {
                    let field = object._toOneField(at: slot)
                    switch relationship.storage {
                    case .foreignKey, .memory: toOnes.append((slot, field))
                    case .inverse, .join: break
                    }
                    if let destination = field.object { noteList(of: destination, relationship) }
                }
            }
        }

        private mutating func noteList(of other: ManagedObject, _ relationship: RelationshipLayout) {
            guard relationship.inverseIsOrdered, let inverse = relationship.inverse,
                let state = other._toManyState(at: inverse), state.isLoaded
            else { return }
            lists.append((other, inverse, state.members))
        }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    /// Records the relationships of an object, and replaces an earlier record.
    mutating func add(_ object: ManagedObject) {
        entries[ObjectIdentifier(object)] = Entry(object)
    }

    /// Returns the deleted object that had this key, if it was recorded.
    func object(root: Int, key: Int64) -> ManagedObject? {
        entries.values.first { $0.object.key == key && $0.object.layout.root == root }?.object
    }

    /// Records a to-one that refers to a deleted object, for its return.
    mutating func note(_ object: ManagedObject, _ slot: Int, to gone: ManagedObject) {
        entries[ObjectIdentifier(gone)]?.awaiting.append((object, slot))
    }

    /// Records a pair, for the return of the deleted objects in it.
    mutating func note(_ link: ContextEvent.Link) {
        for gone in [link.owner, link.member] {
            entries[ObjectIdentifier(gone)]?.awaitingLinks.append(link)
        }
    }

    /// Removes and returns the record of an object.
    mutating func take(_ object: ManagedObject) -> Entry? {
        entries.removeValue(forKey: ObjectIdentifier(object))
    }

    /// Drops the objects that no group would restore.
    mutating func keep(mentionedIn groups: [UndoGroup]) {
        guard !entries.isEmpty else { return }
        var mentioned: Set<ObjectIdentifier> = []
        for event in groups.lazy.flatMap(\.events) {
            for object in event.inserted + event.deleted { mentioned.insert(ObjectIdentifier(object)) }
        }
        entries = entries.filter { mentioned.contains($0.key) }
    }
}
