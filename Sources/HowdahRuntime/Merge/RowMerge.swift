import HowdahModel

/// Updates a context after other sessions changed or deleted rows, with unsaved changes on top.
struct RowMerge {
    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    private let context: ManagedObjectContext
    private var gone: Set<Place> = []
    private var changed: [Place] = []
    private var isChanged: Set<Place> = []
    /// The hierarchies of the rows: relationships to them may have other members.
    private var roots: Set<Int> = []
    /// A Boolean value that indicates whether the changes are unknown, so that all rows are read at once.
    ///
    /// Some of them may be deleted.
    private let isEverything: Bool

    init(_ notices: [SaveNotice], in context: ManagedObjectContext) {
        self.context = context
        isEverything = false
        for notice in notices {
            for place in places(notice.insertedObjectIDs)
            // A child may know a new object of its parent's before that is saved.
            where gone.remove(place) != nil || !context.backing.keysAreFinal { note(place) }
            for place in places(notice.updatedObjectIDs) { note(place) }
            gone.formUnion(places(notice.deletedObjectIDs))
        }
        changed.removeAll { gone.contains($0) }
    }

    init(everythingIn context: ManagedObjectContext) {
        self.context = context
        isEverything = true
        roots = Set(context.layouts.map(\.root))
        for object in context.registry.all where !object.isFault {
            note(Place(root: object.layout.root, key: object.key))
        }
    }

    mutating func run() throws {
        context.forgetParts()
        let present = objects(changed)
        try leave(objects(Array(gone)))
        let known = present.filter { $0.owner === context && !$0.isFault }
        let (now, later) = (
            known.filter { isEverything || $0.hasChanges }, known.filter { !isEverything && !$0.hasChanges }
        )
        try leave(context.rebase(now, mayBeGone: true))
        let changed = context.indexingReferences { context.refreshUnchanged(later) }
        try leave(context.rebase(changed, mayBeGone: true))
        forgetMembers()
        context.registry.forgetFetchedObjects()
    }

    // MARK: Ids

    private mutating func note(_ place: Place) {
        if isChanged.insert(place).inserted { changed.append(place) }
    }

    private mutating func places(_ ids: [ObjectID<ManagedObject>]) -> [Place] {
        ids.compactMap { id in
            guard id.storeIdentifier == context.store.identifier,
                let root = context.store.layouts.layout(storedName: id.entityName)?.root
            else { return nil }
            roots.insert(root)
            return Place(root: root, key: id.key)
        }
    }

    private func objects(_ places: [Place]) -> [ManagedObject] {
        let guarded = Set(context.changes.guarded.map(ObjectIdentifier.init))
        return places.compactMap { context.registry.find(root: $0.root, key: $0.key) }
            .filter { !$0._flags.contains(.inserted) && !guarded.contains(ObjectIdentifier($0)) }
    }

    // MARK: Rows that are gone

    /// Removes objects with deleted rows from the graph, and those that the database deleted with them.
    private mutating func leave(_ objects: [ManagedObject]) throws {
        var wave = objects
        while !wave.isEmpty {
            let referring = self.referring(to: wave)
            roots.formUnion((wave + referring).map(\.layout.root))
            let (context, isChanged) = (context, isChanged)
            context.unobserved {
                context.indexingReferences {
                    for object in wave {
                        release(object)
                        context.forgetDeletedRow(object)
                    }
                }
            }
            // What is told to have changed is read below, or when it is touched.
            wave = try context.rebase(
                referring.filter { object in
                    object.owner === context
                        && !isChanged.contains(Place(root: object.layout.root, key: object.key))
                }, mayBeGone: true)
        }
    }

    /// Returns the stored objects that had a reference to one of these when they were read.
    private func referring(to objects: [ManagedObject]) -> [ManagedObject] {
        let places = Set(objects.map { Place(root: $0.layout.root, key: $0.key) })
        return context.registry.all.filter { object in
            !object.isFault && !object._flags.contains(.inserted)
                && !places.contains(Place(root: object.layout.root, key: object.key))
                && object.layout.relationshipSlots.contains { slot in
                    guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                        case .foreignKey = relationship.storage,
                        case .toOne(let field) = object.read(slot), field.entity >= 0
                    else { return false }
                    return places.contains(
                        Place(root: context.layouts[Int(field.entity)].root, key: field.key))
                }
        }
    }

    /// Clears the unsaved references to an object that leaves: they could not be stored.
    private func release(_ object: ManagedObject) {
        for reference in context.pendingReferences(to: object) where reference.object !== object {
            let (other, slot) = (reference.object, reference.slot)
            guard case .foreignKey? = other.layout.slots[slot].relationship?.storage, other.isWritten(slot)
            else { continue }
            other._setDestination(nil, slot)
        }
    }

    // MARK: Members

    /// Makes relationships load again that rows of other hierarchies hold, with unsaved changes on top.
    ///
    /// Their members may have changed without a change of their owner's row.
    private func forgetMembers() {
        var lists: [(owner: ManagedObject, slot: Int, members: [ManagedObject])] = []
        let mayDiffer = context.hasUnsavedObjects
        let objects = context.registry.all.filter { !$0._flags.contains(.inserted) }
        for object in objects {
            if mayDiffer {
                lists += object.editedLists.compactMap { slot, state in
                    state.isLoaded && isStale(object.layout.relationship(slot))
                        ? (object, slot, state.members) : nil
                }
            }
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                guard isStale(relationship) else { continue }
                if relationship.isToMany {
                    if object._toManyState(at: slot) != nil { object._assignToMany(nil, at: slot) }
                } else if case .inverse = relationship.storage, !object.isFault {
                    object._assignToOne(.unknown, at: slot)
                }
            }
        }
        guard mayDiffer else { return }
        context.unobserved {
            context.noteMemberships()
            for list in lists { context.reorder(list.owner, list.slot, as: list.members) }
        }
    }

    private func isStale(_ relationship: RelationshipLayout) -> Bool {
        !relationship.isTransient && roots.contains(context.layouts[relationship.destination].root)
    }
}
