/// The relationships of objects whose deletion was saved, for the case that it is undone: the objects themselves keep
/// only their plain values.
struct Graves {
    /// One deleted object's side of its relationships.
    struct Grave {
        let object: ManagedObject
        /// Whether it had a row; if so, the version must grow where it is stored again.
        let wasStored: Bool
        /// The to-ones that were the object's own.
        var toOnes: [(slot: Int, field: ToOneField)] = []
        /// The pairs that were neither the object's nor another's column, by the object's slot.
        var links: [(slot: Int, members: [ManagedObject])] = []
        /// Ordered lists that the object was the owner or a member of.
        var lists: [(owner: ManagedObject, slot: Int, members: [ManagedObject])] = []
        /// To-ones of others that were undone meanwhile and lead here: they wait for the object.
        var owed: [(object: ManagedObject, slot: Int)] = []
        /// Pairs that were undone meanwhile and wait for the object.
        var owedLinks: [ContextEvent.Link] = []

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

    private var graves: [ObjectIdentifier: Grave] = [:]

    /// Keeps what an object has, in place of what was kept before.
    mutating func dig(for object: ManagedObject) { graves[ObjectIdentifier(object)] = Grave(object) }

    /// The deleted object that had this key, if it was kept.
    func object(root: Int, key: Int64) -> ManagedObject? {
        graves.values.first { $0.object.key == key && $0.object.layout.root == root }?.object
    }

    /// Keeps that a to-one leads to a deleted object, should that return.
    mutating func owe(_ object: ManagedObject, _ slot: Int, to gone: ManagedObject) {
        graves[ObjectIdentifier(gone)]?.owed.append((object, slot))
    }

    /// Keeps that a pair is there, should the deleted objects in it return.
    mutating func owe(_ link: ContextEvent.Link) {
        for gone in [link.owner, link.member] { graves[ObjectIdentifier(gone)]?.owedLinks.append(link) }
    }

    /// What was kept of an object; it is not kept any longer.
    mutating func open(_ object: ManagedObject) -> Grave? {
        graves.removeValue(forKey: ObjectIdentifier(object))
    }

    /// Forgets the objects that no group would bring back.
    mutating func keep(mentionedIn groups: [UndoGroup]) {
        guard !graves.isEmpty else { return }
        var mentioned: Set<ObjectIdentifier> = []
        for event in groups.lazy.flatMap(\.events) {
            for object in event.inserted + event.deleted { mentioned.insert(ObjectIdentifier(object)) }
        }
        graves = graves.filter { mentioned.contains($0.key) }
    }
}
