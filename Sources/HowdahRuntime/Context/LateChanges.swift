/// The changes of the program's code while a save stores its frozen changes: in `transformed()` or a log
/// handler.
///
/// The save may have sent the former values. The adopted values are clean, and these changes are applied on
/// top for the next save.
struct LateChanges {
    /// A change of a property of an object that the save stores.
    struct Write {
        let object: ManagedObject
        let slot: Int
        /// The value before the change.
        let original: ChangeRecord.Original
    }

    /// Makes a save begin again whose values the program's code changed while they were read.
    struct Restart: Error {}

    private struct Place: Hashable {
        let object: ObjectIdentifier
        let slot: Int
    }

    private(set) var writes: [Write] = []
    private var written: Set<Place> = []
    var inserted: [ManagedObject] = []
    /// The changed objects that the save does not store.
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    var links: [LinkChanges.Change] = []
    /// The ordered or bounded lists that changed, with their owners.
    var lists: [(owner: ManagedObject, state: _ToManyState)] = []
    /// The to-manys with unsaved changes, these and others.
    var touched: [_ToManyState] = []

    var isEmpty: Bool {
        writes.isEmpty && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty
            && lists.isEmpty
    }

    func hasWrite(_ object: ManagedObject, _ slot: Int) -> Bool {
        written.contains(Place(object: ObjectIdentifier(object), slot: slot))
    }

    mutating func noteWrite(_ write: Write) {
        let place = Place(object: ObjectIdentifier(write.object), slot: write.slot)
        if written.insert(place).inserted { writes.append(write) }
    }
}

extension ManagedObjectContext {
    /// Runs the stages of a save that store frozen changes, and records changes meanwhile.
    func keepingLateChanges<T>(_ body: () throws -> T) rethrows -> T {
        guard changes.beginLate() else { return try body() }
        // Objects with changes do not tell of each further one. The arrays keep what adoption lets go of.
        let stored = (inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
        for object in stored.inserted { object._flags.insert(.watched) }
        for object in stored.updated { object._flags.insert(.watched) }
        for object in stored.deleted { object._flags.insert(.watched) }
        defer {
            changes.endLate()
            if !recorder.isWatching {
                for object in stored.inserted { object._flags.remove(.watched) }
                for object in stored.updated { object._flags.remove(.watched) }
                for object in stored.deleted { object._flags.remove(.watched) }
            }
        }
        return try body()
    }

    /// Runs `body`, which reads values for a save.
    ///
    /// - Returns: The result, and true if the program's code changed a value meanwhile.
    func noticingChanges<T>(_ body: () throws -> T) rethrows -> (result: T, isChanged: Bool) {
        if changes.isKeepingLate { return (try body(), false) }
        return try keepingLateChanges {
            let result = try body()
            return (result, changes.takeLate()?.isEmpty == false)
        }
    }

    /// Applies late changes on top of the adopted values.
    func restore(_ late: LateChanges?) {
        guard let late, !late.isEmpty else { return }
        for object in late.inserted
        where object.owner === self && object._flags.contains(.inserted) && !object.isForgotten {
            changes.insert(object)
        }
        for object in late.updated where object.owner === self && object._flags.contains(.updated) {
            noteUpdate(object)
        }
        for write in late.writes where write.object.owner === self {
            write.object.restoreChange(write.original, of: write.slot)
        }
        for object in late.deleted
        where object.owner === self && object._flags.contains(.deleted) && !object._flags.contains(.inserted)
        {
            changes.delete(object)
        }
        for link in late.links where link.owner.owner === self && link.member.owner === self {
            changes.note(link)
        }
        for list in late.lists where list.owner.owner === self {
            list.state.isEdited = true
            list.owner._flags.insert(.listChanged)
            noteUpdate(list.owner)
        }
        // They were declared stored with all others.
        let touched = Set(late.touched.map(ObjectIdentifier.init))
        releaseMembers(
            of: registry.all.filter { object in
                !object._flags.contains(.inserted)
                    && object.layout.relationshipSlots.contains { slot in
                        object._toManyState(at: slot).map { touched.contains(ObjectIdentifier($0)) } ?? false
                    }
            })
    }
}
