public import HowdahModel
package import PQClient

/// A working copy of a part of the graph: objects are fetched into it, changed in it, and saved from it.
///
/// A context is confined by its type: it is not Sendable, and neither are its objects, so the compiler keeps
/// them inside `perform`. Inside, everything is synchronous, faults included, and may block the worker thread
/// it runs on. Each row is at most one object per context.
///
/// Get one from ``PersistentContainer/perform(isolation:retrying:timeout:_:)``, from
/// ``PersistentContainer/newBackgroundContext()``, or on the main actor from
/// ``PersistentContainer/viewContext``.
///
/// Source: Core Data's `NSManagedObjectContext`.
public final class ManagedObjectContext {
    package let store: Store
    /// What the context reads from and saves to.
    let backing: any Backing
    /// Those whose parent this is, as far as they live; they run in its turn.
    var children: [ChildReference] = []
    package var identityMaps: IdentityMaps
    /// New objects in order of insertion; those that are no longer new are skipped by their flags.
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    var links = LinkChanges()
    /// The unsaved references by destination; nil until they are asked for, and again once objects are forgotten.
    var references: PendingReferences?
    /// Whether ``indexingReferences(_:)`` is under way.
    var isIndexing = false
    /// How many unsaved objects were looked at for ``references``; for tests.
    var referenceLooks = 0
    /// The objects that the present save adopted stored rows for, if there are children.
    var adopted: [ManagedObject] = []
    var touched: [ToManyState] = []
    /// The record that detached objects share, by which they find this context.
    private(set) lazy var detachment = ChangeRecord(formerOwner: self)
    /// What changed since the last event ended; nil where nobody asks for it, and while nothing is to be noted.
    var event: ContextEvent?
    /// Whether objects tell their changes: for ``undoManager``, for those who listen, or both.
    var isWatching = false
    /// Where those who listen are; nil until somebody did.
    var board: NoticeBoard<ContextNotice>?
    /// Where those children are told of changes that merge them by themselves; nil until one does.
    var below: StoreNotices?
    /// Whether a child of the same isolation merges what comes as it comes; else with its next run.
    var mergesAtOnce = false
    /// How many runs of a child are under way, one inside the other.
    var runs = 0
    /// Whether a save is under way, in which nothing is merged.
    var isSaving = false
    /// What other contexts saved and is not merged yet; nil where it is not merged automatically.
    var inbox: MergeInbox?
    /// Has what comes in merged soon; nil where the context is at work in runs of `perform`, which look by themselves.
    var mergePromptly: (@Sendable () -> Void)?
    /// How many of `deleted` were propagated already.
    var propagated = 0
    /// Unchanged objects whose versions the next save compares.
    var guarded: [ManagedObject] = []
    /// Whether objects may be registered of which only a part was read.
    var hasParts = false
    /// Whether hooks are asked by a save, which checks the model's rules by itself.
    var isValidating = false
    /// What the last attempt of a save found in its way.
    var conflicts: [MergeConflict] = []
    /// The unique values that the last attempt of a save found in the store.
    var constraintConflicts: [ConstraintConflict] = []
    /// The ids that objects had been given before the last save, and that it replaced: the objects turned out to be
    /// rows that were there already, by their unique values.
    ///
    /// Only ids from ``obtainPermanentIDs(for:)`` are among them; see ``MergePolicy``.
    public internal(set) var supersededObjectIDs: [ObjectID<ManagedObject>: ObjectID<ManagedObject>] = [:]
    /// What saves do about conflicts; ``MergePolicy/error`` at first.
    ///
    /// Source: Core Data's `mergePolicy`.
    public var mergePolicy = MergePolicy.error
    /// Values of your own, which hooks of objects can read: the author of a change, or whether an import is running.
    ///
    /// They are not stored, and last as long as the context: ``reset()`` and ``rollback()`` keep them. A child begins with
    /// an empty dictionary.
    ///
    /// Source: Core Data's `userInfo`.
    public var userInfo: [String: Any] = [:]
    /// The required to-ones that saves left for a later save of the same import; nil where a save refuses them.
    package var laterOnes: [MissingDestination]?
    /// What fetched properties found, by the object they are of and their name.
    var fetchedObjects: [ObjectIdentifier: [String: [ManagedObject]]] = [:]
    /// Filled and emptied while a transaction is being rolled back.
    var mementos: [ListMemento] = []
    /// Whether what is saved here is undone at the end: true in the handlers of a migration that
    /// `howdah migrate rehearse` goes through, which then leave alone what is outside of the database.
    public package(set) var isRehearsal = false
    /// The run of `perform` that the context is in; nil between runs, and always nil for a view context.
    package var unit: UnitOfWork?
    /// The first fault that could not be filled, until it is thrown.
    ///
    /// Every later fetch or save throws it, and `perform` throws it instead of returning. A view context has no
    /// `perform`: look here after reading objects, and call ``clearFailure()`` once it was shown.
    public internal(set) var failure: (any Error)?

    /// Whether ``processPendingChanges()`` applies delete rules in memory, loading what they reach; false by default.
    ///
    /// Where false, the save applies them, in the database too, and loads nothing.
    ///
    /// Source: Core Data's `propagatesDeletesAtEndOfEvent`, which is true by default.
    public var propagatesDeletesAtEndOfEvent = false

    /// What remembers changes so that they can be undone; nil by default, and then nothing is remembered.
    ///
    /// Setting one begins with an empty stack: what has changed before cannot be undone. While it is set, delete rules
    /// are applied in memory, as with ``propagatesDeletesAtEndOfEvent``.
    ///
    /// Source: Core Data's `undoManager`.
    public var undoManager: UndoStack? { didSet { adoptUndoStack(replacing: oldValue) } }
    /// Whether what other contexts of this container save is merged here, as by ``mergeChanges(from:)``; false by default.
    ///
    /// A child follows its parent in place of the container: what other children push, and what the parent saves or
    /// merges itself. One that was made by ``newChildContext()`` merges at once, with that save or merge.
    ///
    /// In a context of ``BackgroundContext`` that happens when its next `perform` begins; in
    /// ``PersistentContainer/viewContext`` as soon as the main actor is free: where it fails there, ``failure`` says so,
    /// and ``clearFailure()`` has it tried again. A context that is more than 10,000 ids behind reads all its objects again.
    ///
    /// Source: Core Data's `automaticallyMergesChangesFromParent`.
    public var automaticallyMergesChangesFromParent = false { didSet { followParent() } }
    /// Whether changes are being taken back; what they need is known then.
    var isReverting = false

    /// Whether a fault whose row is gone becomes a deleted object with zero values, instead of failing the context;
    /// false by default.
    ///
    /// Such an object is not written by the next save, and nothing is deleted by it. Set to true after a fault was found
    /// without a row, it takes that failure back.
    ///
    /// Source: Core Data's `shouldDeleteInaccessibleFaults`, which is true by default.
    public var shouldDeleteInaccessibleFaults = false {
        didSet { if shouldDeleteInaccessibleFaults { acceptInaccessibleFaults() } }
    }

    /// Whether the context keeps every object alive that it knows; false by default, and then only changed ones, and
    /// those that the program or another object holds.
    ///
    /// True makes a context that lives long grow with everything that was ever fetched; ``reset()`` lets go.
    ///
    /// Source: Core Data's `retainsRegisteredObjects`.
    public var retainsRegisteredObjects = false {
        didSet {
            // What ends here leaves the maps, which must not be in use then.
            let objects = identityMaps.retain(retainsRegisteredObjects)
            withExtendedLifetime(objects) {}
        }
    }

    init(store: Store, backing: any Backing) {
        self.store = store
        self.backing = backing
        identityMaps = IdentityMaps(count: store.layouts.entities.count)
    }

    deinit {
        if let inbox { followed.unregister(inbox) }
        detachObjects()
    }

    /// Where this context hears of what others saved, and tells what it saves itself.
    var followed: StoreNotices { backing.notices }

    /// Where those children are told of changes that merge them by themselves.
    var noticesBelow: StoreNotices {
        if let below { return below }
        let notices = StoreNotices()
        below = notices
        return notices
    }

    /// The context that this one reads from and saves to; nil if that is the database.
    ///
    /// Source: Core Data's `parent`.
    public var parent: ManagedObjectContext? { backing.parent }

    /// The context at the upper end, which has the database.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Whether there is anything to save.
    public var hasChanges: Bool {
        inserted.contains(where: \.isToInsert) || deleted.contains(where: \.isToDelete)
            || updated.contains(where: \.isToUpdate) || !links.isEmpty
    }

    /// The objects that the next save inserts, in the order they were made.
    public var insertedObjects: [ManagedObject] {
        inserted.filter(\.isToInsert)
    }

    /// The saved objects with changed values that the next save updates.
    public var updatedObjects: [ManagedObject] {
        updated.filter(\.isToUpdate)
    }

    /// The saved objects that the next save deletes.
    public var deletedObjects: [ManagedObject] {
        deleted.filter(\.isToDelete)
    }

    /// The objects that the context knows at the moment, changed or not, in no particular order; new objects that were deleted are left out.
    ///
    /// Source: Core Data's `registeredObjects`.
    public var registeredObjects: [ManagedObject] { identityMaps.all.filter { !$0.isForgotten } }

    /// How many objects the context knows at the moment, changed or not.
    public var registeredObjectCount: Int {
        identityMaps.count - inserted.count { $0.isForgotten && $0._flags.contains(.registered) }
    }

    /// Forgets a failed fault, so that a view context can go on.
    public func clearFailure() {
        failure = nil
        inbox?.remind()
        mergeAtOnce()
    }

    /// Forgets all objects and changes; objects that the program still holds become detached: plain values stay
    /// readable, relationships are gone.
    public func reset() {
        for object in identityMaps.all { object.detach(from: self) }
        forgetFetchedObjects()
        identityMaps = IdentityMaps(
            count: store.layouts.entities.count, isRetaining: retainsRegisteredObjects)
        forgetChanges()
        unit?.forgetUndoings()
        failure = nil
        if event != nil { event = ContextEvent() }
        undoManager?.removeAllActions()
        tell(.didReset)
    }

    func forgetChanges() {
        references = nil
        inserted = []
        for object in updated { object._flags.remove(.listed) }
        updated = []
        deleted = []
        links = LinkChanges()
        touched = []
        guarded = []
        propagated = 0
    }

    /// Runs `body` with the connection of the present unit of work, or with one of its own outside of any.
    ///
    /// - Throws: `FetchError.invalidRequest` in a child, which asks its parent for objects and nothing else.
    package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkConnection()
        if let unit { return try body(unit.lease()) }
        let unit = UnitOfWork(store: store)
        defer { unit.end() }
        return try body(unit.lease())
    }

    /// - Throws: `FetchError.invalidRequest` in a child: it asks its parent for objects, and has nothing else to ask.
    package func checkConnection() throws {
        if let refusal = backing.refusal { throw refusal }
    }

    /// Throws the failed fault, so that nothing is read or saved on top of values that never arrived.
    package func throwFailure() throws {
        if let failure { throw failure }
    }

    /// As ``throwFailure()``, for this context and those above.
    func throwFailures() throws {
        try throwFailure()
        try parent?.throwFailures()
    }

    /// Cuts the ties of all objects, and the cycles between them, so that nothing outlives the context but what
    /// the program holds.
    private func detachObjects() {
        for object in identityMaps.all { object.detach() }
    }
}

@available(
    *, unavailable,
    message: "a context stays inside perform; pass its BackgroundContext handle or the container instead"
)
extension ManagedObjectContext: Sendable {}

extension ManagedObject {
    final var isToInsert: Bool {
        _flags.contains(.inserted) && !_flags.contains(.deleted)
    }

    final var isToUpdate: Bool { _flags.contains(.updated) && !_flags.contains(.deleted) }

    /// False for an object whose row is gone: it stays among the context's deleted objects until the next save.
    fileprivate final var isToDelete: Bool {
        _flags.contains(.deleted) && !_flags.contains(.inserted) && owner != nil
    }
}

/// A parent's way to a child that lives only as long as somebody else wants it.
struct ChildReference {
    weak var context: ManagedObjectContext?
}
