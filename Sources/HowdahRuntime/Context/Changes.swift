import HowdahModel

/// The unsaved changes of one context, and the findings of the present save about them.
///
/// It also keeps the ids that the last save replaced, the required to-ones that an import left for a later
/// save, the lists that a rollback restores, and a postponed release. ``removeAll()`` leaves these and the
/// state of a running save.
///
/// A class with a stored property for each collection; ``Registry`` has the reason. Arrays whose objects may end are
/// replaced before they are released, because the `deinit` of a class can read the context.
package final class Changes {
    /// The new objects in order of insertion; those that are no longer new are skipped by their flags.
    private(set) var inserted: [ManagedObject] = []
    private(set) var updated: [ManagedObject] = []
    private(set) var deleted: [ManagedObject] = []
    /// The number of objects in ``deleted`` that were propagated already.
    private(set) var propagated = 0
    /// What delete rules did in memory, by the deleted object.
    private var propagations: [ObjectIdentifier: PropagatedDeletion] = [:]
    private(set) var links = LinkChanges()
    private(set) var touched: [ToManyState] = []
    /// Unchanged objects whose versions the next save compares.
    private(set) var guarded: [ManagedObject] = []

    /// The unsaved references by destination; nil until the first look-up, and again after objects are forgotten.
    private(set) var references: PendingReferences?
    /// Indicates whether ``indexingReferences(_:)`` is under way.
    private var isIndexing = false
    /// The number of unsaved objects that ``references`` looked at; for tests.
    private(set) var referenceLooks = 0

    /// Indicates whether a save is under way, during which notices of other contexts wait.
    private(set) var isSaving = false
    /// The number of saves that carry out what they froze, one inside the other.
    private var carryingOut = 0
    var isCarryingOut: Bool { carryingOut > 0 }
    /// What changed since the present save froze what it stores; nil outside of the stages that store it.
    private var late: LateChanges?
    /// The number of times that the present save began again, because something changed while it took values.
    private var restarts = 0
    private static let restartLimit = 3
    /// The release that waits for the end of the save.
    private var postponed: Release?
    /// Indicates whether a save calls validation hooks; it checks the model's rules itself.
    private(set) var isValidating = false
    /// The objects that the present save adopted stored rows for, if there are children.
    private var adopted: [ManagedObject] = []
    private var conflicts: [MergeConflict] = []
    private var constraintConflicts: [ConstraintConflict] = []
    private(set) var superseded: [ObjectID<ManagedObject>: ObjectID<ManagedObject>] = [:]
    /// The required to-ones that saves left for a later save of the same import; nil if a save refuses them.
    private var laterOnes: [MissingDestination]?
    /// The lists to restore; filled and emptied while a transaction is being rolled back.
    private(set) var mementos: [ListMemento] = []

    /// A call that lets go of objects or of their changes.
    enum Release { case rollback, reset }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }

    // MARK: Objects

    func insert(_ object: ManagedObject) {
        inserted.append(object)
        late?.inserted.append(object)
    }

    func update(_ object: ManagedObject) {
        updated.append(object)
        late?.updated.append(object)
    }

    func delete(_ object: ManagedObject) {
        deleted.append(object)
        late?.deleted.append(object)
    }

    func touch(_ state: ToManyState) { touched.append(state) }

    /// Has the next save compare the version of an object.
    func guardVersion(of object: ManagedObject) { guarded.append(object) }

    /// Takes an object out of the inserted ones, because its row exists.
    func removeInserted(_ object: ManagedObject) {
        let former = inserted
        inserted = former.filter { $0 !== object }
        withExtendedLifetime(former) {}
    }

    /// Takes an object out of the updated ones.
    func removeUpdated(_ object: ManagedObject) {
        let former = updated
        updated = former.filter { $0 !== object }
        withExtendedLifetime(former) {}
    }

    /// Takes objects that return out of the deleted ones.
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

    /// The next deleted object whose delete rules are not applied in memory yet.
    func nextToPropagate() -> ManagedObject? {
        guard propagated < deleted.count else { return nil }
        propagated += 1
        return deleted[propagated - 1]
    }

    /// Keeps what the delete rules of an object did.
    func keep(_ effects: PropagatedDeletion, of object: ManagedObject) {
        propagations[ObjectIdentifier(object)] = effects.isEmpty ? nil : effects
    }

    /// What the delete rules of an object did; it is not kept.
    func takePropagation(of object: ManagedObject) -> PropagatedDeletion? {
        propagations.removeValue(forKey: ObjectIdentifier(object))
    }

    /// Takes the delete rules of all deleted objects for applied.
    func skipPropagation() { propagated = deleted.count }

    /// Forgets all changes.
    func removeAll() {
        let former = (
            inserted, updated, deleted, links, touched, guarded, references, propagations,
            (conflicts, constraintConflicts)
        )
        propagations = [:]
        references = nil
        inserted = []
        for object in updated { object._flags.remove(.listed) }
        updated = []
        deleted = []
        links = LinkChanges()
        touched = []
        guarded = []
        propagated = 0
        conflicts = []
        constraintConflicts = []
        withExtendedLifetime(former) {}
    }

    // MARK: Links

    /// The changes of one object's links, in no particular order.
    func links(of object: ManagedObject) -> [LinkChanges.Change] { links.of(object) }

    func note(_ change: LinkChanges.Change) {
        links.note(change)
        late?.links.append(change)
    }

    func notePrior(_ change: LinkChanges.Change) { links.notePrior(change) }

    func settle(_ change: LinkChanges.Change, isStored: Bool) { links.settle(change, isStored: isStored) }

    func doubtLinks(of object: ManagedObject) { links.doubt(object) }

    func forgetLinks(of object: ManagedObject) { links.forget(object) }

    // MARK: References

    /// Runs `body`, in which references may change without being noted, with a separate index.
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

    /// The unsaved to-one references to an object, in the order in which their objects were inserted or changed.
    ///
    /// Linear in the number of objects that became unsaved since the last call, and in the number of results.
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

    /// Records the destinations of an object whose values were put in place.
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

    /// Runs the stages of a save that carry out what was frozen; the objects and their changes stay meanwhile.
    ///
    /// What they call of the program's, such as `transformed()` or a log handler, may ask the context to let go of them.
    func carryingOut<T>(_ body: () throws -> T) rethrows -> T {
        carryingOut += 1
        defer { carryingOut -= 1 }
        return try body()
    }

    var isKeepingLate: Bool { late != nil }

    /// Has the present save begin again if the program's code changed something while values were taken: the save
    /// would store a part of it. Code that changes something each time has its changes kept for the next save.
    ///
    /// - Throws: `LateChanges.Restart`.
    func restartIfLate() throws {
        guard let late, !late.isEmpty, restarts < Self.restartLimit else { return }
        throw LateChanges.Restart()
    }

    func noteRestart() { restarts += 1 }

    /// Begins to keep what changes apart from what a save stores; false if that is being done.
    func beginLate() -> Bool {
        guard late == nil else { return false }
        late = LateChanges()
        return true
    }

    /// What changed since the save froze what it stores; from now on changes are its own.
    func takeLate() -> LateChanges {
        guard var late else { return LateChanges() }
        self.late = nil
        late.touched = touched
        return late
    }

    func endLate() { late = nil }

    /// Keeps a change of an object that the present save stores.
    func noteLateWrite(_ object: ManagedObject, _ slot: Int) {
        guard let late, !late.hasWrite(object, slot) else { return }
        // Read before these changes are: an attribute's transformed() may change objects, too.
        let original = object.original(at: slot)
        self.late?.noteWrite(LateChanges.Write(object: object, slot: slot, original: original))
    }

    /// Keeps a change of a list of such an object.
    func noteLateEdit(_ object: ManagedObject, _ state: ToManyState) { late?.lists.append((object, state)) }

    /// Has a release wait for the end of the save that carries out changes; false if there is none.
    func postpones(_ release: Release) -> Bool {
        guard carryingOut > 0 else { return false }
        if postponed != .reset { postponed = release }
        return true
    }

    /// The release that waited for the end of the save.
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

    /// Keeps the conflicts that an attempt of a save found, for the merge policy.
    func noteConflicts(_ found: [MergeConflict]) { conflicts = found }

    /// Keeps the rows that hold the unique values of an attempt of a save, for the merge policy.
    func noteConstraintConflicts(_ found: [ConstraintConflict]) { constraintConflicts = found }

    /// The conflicts that the last attempt of a save found; they are not kept.
    func takeConflicts() -> [MergeConflict] {
        defer { conflicts = [] }
        return conflicts
    }

    /// The rows that hold the unique values of the last attempt of a save; they are not kept.
    func takeConstraintConflicts() -> [ConstraintConflict] {
        defer { constraintConflicts = [] }
        return constraintConflicts
    }

    func supersede(_ former: ObjectID<ManagedObject>, by id: ObjectID<ManagedObject>) {
        superseded[former] = id
    }

    func forgetSuperseded() { superseded = [:] }

    /// Keeps an object that children must reload, because a save found its row in the store.
    func noteAdoption(of object: ManagedObject) { adopted.append(object) }

    /// The objects that children must reload; they are not kept.
    func takeAdopted() -> [ManagedObject] {
        defer { adopted = [] }
        return adopted
    }

    // MARK: Imports

    /// Has saves leave the required to-ones without a destination for later.
    package func deferMissingDestinations() { laterOnes = [] }

    /// Has saves refuse the required to-ones without a destination.
    package func refuseMissingDestinations() { laterOnes = nil }

    /// The required to-ones that saves left; they are not kept.
    package func takeMissingDestinations() -> [MissingDestination] {
        guard let later = laterOnes else { return [] }
        laterOnes = []
        return later
    }

    /// Leaves required to-ones for a later save; false if this save has to refuse them.
    func leave(_ missing: [MissingDestination]) -> Bool {
        guard laterOnes != nil else { return false }
        laterOnes? += missing
        return true
    }

    // MARK: Rollbacks

    /// Keeps a list that the end of a transaction makes unsaved again.
    func note(_ memento: ListMemento) { mementos.append(memento) }

    /// Replaces the numbers of a list that was noted before.
    func renumberMemento(at place: Int, _ numbers: [Int64: Int64]) { mementos[place].numbers = numbers }

    /// The lists to restore; they are not kept.
    func takeMementos() -> [ListMemento] {
        defer { mementos = [] }
        return mementos
    }
}
