import HowdahModel

/// The unsaved changes of one context, and the findings of the present save about them.
///
/// It also has the ids that the last save replaced, and the lists that a rollback restores. The required
/// to-ones that an import left for a later save and a postponed release are here, too. ``removeAll()`` keeps
/// these and the state of a running save.
///
/// It is a class with a stored property for each collection; ``Registry`` has the reason. If objects in an
/// array may end, the array is replaced before it is released, because the `deinit` of a class can read the
/// context.
package final class Changes {
    /// The new objects in order of insertion; those that are no longer new are skipped by their flags.
    @exclusivity(unchecked) private(set) var inserted: [ManagedObject] = []
    @exclusivity(unchecked) private(set) var updated: [ManagedObject] = []
    @exclusivity(unchecked) private(set) var deleted: [ManagedObject] = []
    /// The number of objects in ``deleted`` that were propagated already.
    @exclusivity(unchecked) private(set) var propagated = 0
    /// The effects of delete rules in memory, by the deleted object.
    @exclusivity(unchecked) private var propagations: [ObjectIdentifier: PropagatedDeletion] = [:]
    private(set) var links = LinkChanges()
    @exclusivity(unchecked) private(set) var touched: [_ToManyState] = []
    /// Unchanged objects whose versions the next save compares, each once.
    @exclusivity(unchecked) private(set) var guarded: [ManagedObject] = []
    @exclusivity(unchecked) private var isGuarded: Set<ObjectIdentifier> = []
    /// The versions that a program named.
    @exclusivity(unchecked) private(set) var named = NamedVersions()

    /// The unsaved references by destination; nil until the first look-up, and again after objects are forgotten.
    @exclusivity(unchecked) private(set) var references: PendingReferences?
    /// The new and changed objects by hierarchy; nil until the first search.
    @exclusivity(unchecked) private var unsaved: UnsavedByHierarchy?
    /// A Boolean value that indicates whether ``indexingReferences(_:)`` is running.
    @exclusivity(unchecked) private var isIndexing = false
    /// The number of unsaved objects that ``references`` examined; for tests.
    private(set) var referenceLooks = 0

    /// A Boolean value that indicates whether a save is running, during which notices of other contexts wait.
    @exclusivity(unchecked) private(set) var isSaving = false
    /// The number of saves that carry out their frozen changes, one inside the other.
    @exclusivity(unchecked) private var carryingOut = 0
    var isCarryingOut: Bool { carryingOut > 0 }
    /// A Boolean value that indicates whether a save carries out its frozen changes, and others are late.
    @exclusivity(unchecked) private(set) var isKeepingLate = false
    /// The changes since the present save froze its changes; nil if there are none.
    @exclusivity(unchecked) private var late: LateChanges?
    /// The number of times that the present save began again because values changed while it read them.
    @exclusivity(unchecked) private var restarts = 0
    private static let restartLimit = 3
    /// The release that waits for the end of the save.
    @exclusivity(unchecked) private var postponed: Release?
    /// The call that runs code of the program, and during which a save is refused; nil if there is none.
    @exclusivity(unchecked) private(set) var openCall: OpenCall?
    /// A Boolean value that indicates whether a save calls validation hooks; it checks the model's rules
    /// itself.
    @exclusivity(unchecked) private(set) var isValidating = false
    /// The objects that the present save adopted stored rows for, if there are children.
    @exclusivity(unchecked) private var adopted: [ManagedObject] = []
    @exclusivity(unchecked) private var conflicts: [MergeConflict] = []
    @exclusivity(unchecked) private var constraintConflicts: [ConstraintConflict] = []
    private(set) var superseded: [ObjectID<ManagedObject>: ObjectID<ManagedObject>] = [:]
    /// The required to-ones that saves left for a later save of the same import; nil if a save refuses them.
    private var laterOnes: [MissingDestination]?
    /// The lists to restore; filled and emptied while a transaction is being rolled back.
    private(set) var mementos: [ListMemento] = []

    /// A call that releases objects or drops their changes.
    enum Release { case rollback, reset }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }

    /// A Boolean value that indicates whether there is nothing but changed objects.
    private var hasOnlyUpdates: Bool {
        inserted.isEmpty && deleted.isEmpty && links.isEmpty && touched.isEmpty && guarded.isEmpty
            && named.isEmpty && references == nil && unsaved == nil && conflicts.isEmpty
            && constraintConflicts.isEmpty
    }

    /// The changed object if nothing else is changed, and no versions are compared; nil otherwise.
    var soleUpdate: ManagedObject? {
        guard updated.count == 1, inserted.isEmpty, deleted.isEmpty, links.isEmpty, guarded.isEmpty,
            updated[0].isToUpdate
        else { return nil }
        return updated[0]
    }

    // MARK: Objects

    func insert(_ object: ManagedObject) {
        inserted.append(object)
        keepLate { $0.inserted.append(object) }
    }

    func update(_ object: ManagedObject) {
        updated.append(object)
        keepLate { $0.updated.append(object) }
    }

    func delete(_ object: ManagedObject) {
        deleted.append(object)
        keepLate { $0.deleted.append(object) }
    }

    func touch(_ state: _ToManyState) { touched.append(state) }

    /// Makes the next save compare the version of an object.
    func guardVersion(of object: ManagedObject) {
        if isGuarded.insert(ObjectIdentifier(object)).inserted { guarded.append(object) }
    }

    /// Makes the next save fail if an object has another version.
    func expect(_ version: ObjectVersion, of object: ManagedObject, isStale: Bool = false) {
        named.add(.init(object: object, version: version, isStale: isStale))
    }

    /// Returns the version that the program named for an object; nil if it named none.
    func expectedVersion(of object: ManagedObject) -> ObjectVersion? {
        named[object]?.version
    }

    /// Returns a Boolean value that indicates whether the program named a version for the object of a conflict.
    func expectsVersion(ofAny conflicts: [MergeConflict]) -> Bool {
        conflicts.contains { named[$0.object] != nil }
    }

    /// Returns the new and changed objects of a hierarchy.
    func unsaved(inHierarchy root: Int) -> [ManagedObject] {
        var index = unsaved ?? UnsavedByHierarchy()
        // Held by this function alone, it is not copied.
        unsaved = nil
        index.catchUp(with: self)
        defer { unsaved = index }
        return index[root].filter { $0.isToInsert || $0.isToUpdate }
    }

    /// Removes an object from the inserted ones, because its row exists.
    func removeInserted(_ object: ManagedObject) {
        if inserted.last === object {
            if unsaved?.forget(object, at: inserted.count - 1) != true { unsaved = nil }
            inserted.removeLast()
            return
        }
        unsaved = nil
        let former = inserted
        inserted = former.filter { $0 !== object }
        withExtendedLifetime(former) {}
    }

    /// Removes an object from the updated ones.
    func removeUpdated(_ object: ManagedObject) {
        unsaved = nil
        let former = updated
        updated = former.filter { $0 !== object }
        withExtendedLifetime(former) {}
    }

    /// Removes objects that return from the deleted ones.
    func removeDeleted(where returns: (ManagedObject) -> Bool) {
        let former = deleted
        let returned = former.prefix(propagated).count(where: returns)
        if !propagations.isEmpty {
            for object in former where returns(object) { propagations[ObjectIdentifier(object)] = nil }
        }
        deleted = former.filter { !returns($0) }
        propagated -= returned
        withExtendedLifetime(former) {}
    }

    /// Returns the next deleted object whose delete rules are not applied in memory yet.
    func nextToPropagate() -> ManagedObject? {
        guard propagated < deleted.count else { return nil }
        propagated += 1
        return deleted[propagated - 1]
    }

    /// Records the effects of an object's delete rules.
    func keep(_ effects: PropagatedDeletion, of object: ManagedObject) {
        propagations[ObjectIdentifier(object)] = effects.isEmpty ? nil : effects
    }

    /// Removes and returns the effects of an object's delete rules.
    func takePropagation(of object: ManagedObject) -> PropagatedDeletion? {
        propagations.removeValue(forKey: ObjectIdentifier(object))
    }

    /// Marks the delete rules of all deleted objects as applied.
    func skipPropagation() { propagated = deleted.count }

    /// Drops all changes.
    ///
    /// - Parameter keepingVersions: Indicates whether the next save compares the versions that this one did
    ///   not.
    func removeAll(keepingVersions: Bool = false) {
        if hasOnlyUpdates {
            let former = updated
            for object in former { object._flags.remove(.listed) }
            updated = []
            propagated = 0
            withExtendedLifetime(former) {}
            return
        }
        let former = (
            inserted, updated, deleted, links, touched, guarded, references, propagations,
            (conflicts, constraintConflicts), named, unsaved
        )
        unsaved = nil
        propagations = [:]
        references = nil
        inserted = []
        for object in updated { object._flags.remove(.listed) }
        updated = []
        deleted = []
        links = LinkChanges()
        touched = []
        if !keepingVersions {
            guarded = []
            isGuarded = []
            named = NamedVersions()
        }
        propagated = 0
        conflicts = []
        constraintConflicts = []
        withExtendedLifetime(former) {}
    }

    // MARK: Links

    /// Returns the changes of one object's links, in no particular order.
    func links(of object: ManagedObject) -> [LinkChanges.Change] { links.of(object) }

    func note(_ change: LinkChanges.Change) {
        links.note(change)
        keepLate { $0.links.append(change) }
    }

    func notePrior(_ change: LinkChanges.Change) { links.notePrior(change) }

    func settle(_ change: LinkChanges.Change, isStored: Bool) { links.settle(change, isStored: isStored) }

    func doubtLinks(of object: ManagedObject) { links.doubt(object) }

    func forgetLinks(of object: ManagedObject) { links.forget(object) }

    // MARK: References

    /// Runs `body` with a separate index, because references may change in it without a record.
    func indexingReferences<T>(_ body: () throws -> T) rethrows -> T {
        if isIndexing { return try body() }
        references = nil
        isIndexing = true
        defer {
            references = nil
            isIndexing = false
        }
        return try body()
    }

    /// Returns the unsaved to-one references to an object, in the order of their objects' insertions or
    /// changes.
    ///
    /// It is linear in the number of objects that became unsaved since the last call, and in the number of
    /// results.
    func references(to destination: ManagedObject) -> [PendingReferences.Reference] {
        var index = references ?? PendingReferences()
        // Held by this function alone, it is not copied.
        references = nil
        referenceLooks += index.catchUp(with: self)
        let found = index.to(destination)
        references = index
        return found
    }

    /// Records a new destination of an object's to-one.
    func noteReference(of object: ManagedObject, _ slot: Int, to destination: ManagedObject) {
        guard references != nil, !object._flags.isDisjoint(with: [.inserted, .updated]) else { return }
        references?.note(object, slot, destination)
        if references?.isOvergrown == true { references = nil }
    }

    /// Records the destinations of an object whose values were assigned.
    func noteReferences(of object: ManagedObject) {
        guard references != nil else { return }
        for (slot, destination) in object.knownDestinations {
            noteReference(of: object, slot, to: destination)
        }
    }

    func forgetReferences() { references = nil }

    // MARK: Saves

    /// Runs a save, during which notices of other contexts wait. A hook in it may save, too.
    func saving<T>(_ body: () throws -> T) rethrows -> T {
        let isOuter = !isSaving
        isSaving = true
        restarts = 0
        defer { if isOuter { isSaving = false } }
        return try body()
    }

    /// Runs the stages of a save that carry out the frozen changes. The objects and their changes stay
    /// meanwhile.
    ///
    /// The program's code in these stages, such as `transformed()` or a log handler, may call for their
    /// release.
    func carryingOut<T>(_ body: () throws -> T) rethrows -> T {
        carryingOut += 1
        defer { carryingOut -= 1 }
        return try body()
    }

    /// Runs a call during which the program's code must not save.
    func opening<T>(_ call: OpenCall, _ body: () throws -> T) rethrows -> T {
        let outer = openCall
        openCall = call
        defer { openCall = outer }
        return try body()
    }

    /// Makes the present save begin again if the program's code changed a value while values were read.
    ///
    /// The save would otherwise store a part of the change. If code changes a value each time, its changes
    /// are kept for the next save.
    ///
    /// - Throws: `LateChanges.Restart`.
    func restartIfLate() throws {
        guard let late, !late.isEmpty, restarts < Self.restartLimit else { return }
        throw LateChanges.Restart()
    }

    func noteRestart() { restarts += 1 }

    /// Begins to record changes separately from those that a save stores; false if this is already done.
    func beginLate() -> Bool {
        if isKeepingLate { return false }
        isKeepingLate = true
        return true
    }

    /// Returns the changes since the save froze its own, and ends their record; nil if there are none.
    func takeLate() -> LateChanges? {
        var taken = late
        endLate()
        taken?.touched = touched
        return taken
    }

    func endLate() {
        isKeepingLate = false
        late = nil
    }

    /// Adds to the late changes, if they are recorded.
    private func keepLate(_ add: (inout LateChanges) -> Void) {
        guard isKeepingLate else { return }
        var changes = late ?? LateChanges()
        // Held by this function alone, it is not copied.
        late = nil
        add(&changes)
        late = changes
    }

    /// Records a change of an object that the present save stores.
    func noteLateWrite(_ object: ManagedObject, _ slot: Int) {
        guard isKeepingLate, late?.hasWrite(object, slot) != true else { return }
        // Read before these changes are: an attribute's transformed() may change objects, too.
        let original = object.original(at: slot)
        keepLate { $0.noteWrite(LateChanges.Write(object: object, slot: slot, original: original)) }
    }

    /// Records a change of a list of such an object.
    func noteLateEdit(_ object: ManagedObject, _ state: _ToManyState) {
        keepLate { $0.lists.append((object, state)) }
    }

    /// Postpones a release to the end of the save that carries out changes; false if there is none.
    func postpones(_ release: Release) -> Bool {
        guard carryingOut > 0 else { return false }
        if postponed != .reset { postponed = release }
        return true
    }

    /// Removes and returns the release that waited for the end of the save.
    func takePostponed() -> Release? {
        guard carryingOut == 0, let release = postponed else { return nil }
        postponed = nil
        return release
    }

    /// Runs validation hooks, which do not check the model's rules.
    func validating<T>(_ body: () throws -> T) rethrows -> T {
        let outer = isValidating
        isValidating = true
        defer { isValidating = outer }
        return try body()
    }

    /// Records the conflicts that an attempt of a save found, for the merge policy.
    func noteConflicts(_ found: [MergeConflict]) { conflicts = found }

    /// Records the rows with the unique values of an attempt of a save, for the merge policy.
    func noteConstraintConflicts(_ found: [ConstraintConflict]) { constraintConflicts = found }

    /// Removes and returns the conflicts that the last attempt of a save found.
    func takeConflicts() -> [MergeConflict] {
        defer { conflicts = [] }
        return conflicts
    }

    /// Removes and returns the rows with the unique values of the last attempt of a save.
    func takeConstraintConflicts() -> [ConstraintConflict] {
        defer { constraintConflicts = [] }
        return constraintConflicts
    }

    func supersede(_ former: ObjectID<ManagedObject>, by id: ObjectID<ManagedObject>) {
        superseded[former] = id
    }

    func forgetSuperseded() { superseded = [:] }

    /// Records an object that children must reload, because a save found its row in the store.
    func noteAdoption(of object: ManagedObject) { adopted.append(object) }

    /// Removes and returns the objects that children must reload.
    func takeAdopted() -> [ManagedObject] {
        defer { adopted = [] }
        return adopted
    }

    // MARK: Imports

    /// Makes saves leave the required to-ones without a destination for later.
    package func deferMissingDestinations() { laterOnes = [] }

    /// Makes saves refuse the required to-ones without a destination.
    package func refuseMissingDestinations() { laterOnes = nil }

    /// Removes and returns the required to-ones that saves left.
    package func takeMissingDestinations() -> [MissingDestination] {
        guard let later = laterOnes else { return [] }
        laterOnes = []
        return later
    }

    /// Leaves required to-ones for a later save; false if this save must refuse them.
    func leave(_ missing: [MissingDestination]) -> Bool {
        guard laterOnes != nil else { return false }
        laterOnes? += missing
        return true
    }

    // MARK: Rollbacks

    /// Records a list that the end of a transaction makes unsaved again.
    func note(_ memento: ListMemento) { mementos.append(memento) }

    /// Replaces the numbers of a recorded list.
    func renumberMemento(at place: Int, _ numbers: [Int64: Int64]) { mementos[place].numbers = numbers }

    /// Removes and returns the lists to restore.
    func takeMementos() -> [ListMemento] {
        defer { mementos = [] }
        return mementos
    }
}
