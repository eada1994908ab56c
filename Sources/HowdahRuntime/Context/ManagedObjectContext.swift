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
    /// The living children. A child runs while its root has the turn.
    private(set) var children: [ChildReference] = []
    package let registry: Registry
    package let changes = Changes()
    package let recorder = Recorder()
    /// The run of `perform` that a root context is in; always nil in a child and in a view context.
    ///
    /// In a child, use `root.unit` for the run.
    package private(set) var unit: UnitOfWork?
    /// The first fault that could not be filled, until it is thrown.
    ///
    /// Every later fetch or save throws it, and `perform` throws it instead of returning. A view context has no
    /// `perform`: look here after reading objects, and call ``clearFailure()`` once it was shown.
    public private(set) var failure: (any Error)?
    /// The values of the public properties; each is changed only by its property.
    private(set) var settings = ContextSettings()

    init(store: Store, backing: any Backing) {
        self.store = store
        self.backing = backing
        registry = Registry(hierarchyCount: store.layouts.entities.count)
    }

    deinit {
        if let inbox { followed.unregister(inbox) }
        detachObjects()
    }

    /// Where this context hears of what others saved, and tells what it saves itself.
    var followed: StoreNotices { backing.notices }

    /// The notices of the children that merge by themselves.
    var noticesBelow: StoreNotices { recorder.openBelow() }

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
    public var registeredObjects: [ManagedObject] { registry.all.filter { !$0.isForgotten } }

    /// How many objects the context knows at the moment, changed or not.
    public var registeredObjectCount: Int {
        registry.count - inserted.count { $0.isForgotten && $0._flags.contains(.registered) }
    }

    /// Forgets a failed fault, so that a view context can go on.
    public func clearFailure() {
        forgetFailure()
        inbox?.remind()
        mergeAtOnce()
    }

    /// Forgets all objects and changes; objects that the program still holds become detached: plain values stay
    /// readable, relationships are gone.
    ///
    /// If a save is storing the changes, because an attribute's `transformed()` or a log handler calls this, it is done
    /// when the save has ended.
    public func reset() {
        if changes.postpones(.reset) { return }
        let objects = registry.removeAll()
        for object in objects { object.detach(from: self) }
        registry.forgetFetchedObjects()
        changes.removeAll()
        unit?.forgetUndoings()
        forgetFailure()
        recorder.dropEvent()
        recorder.undo?.removeAllActions()
        tell(.didReset)
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

    /// - Throws: `FetchError.invalidRequest` in a child: it asks its parent for objects, and has nothing else to ask; and
    ///   while rows are decoded.
    package func checkConnection() throws {
        if let refusal = backing.refusal { throw refusal }
        try checkDecoding()
    }

    /// Indicates whether this context or one above makes values of rows.
    var isDecoding: Bool { registry.isDecoding || parent?.isDecoding ?? false }

    /// - Throws: `FetchError.invalidRequest` while rows are decoded, which have their connection for themselves.
    func checkDecoding() throws {
        guard isDecoding else { return }
        throw FetchError(
            .invalidRequest,
            "The context was read or refreshed while it decodes rows, from init(transformed:) or init(from:). Do so in "
                + "awakeFromFetch() instead.")
    }

    /// Keeps an error for the next fetch or save, and for the end of `perform`. Only the first one is kept.
    func noteFailure(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Forgets the failure, and merges nothing.
    func forgetFailure() { failure = nil }

    /// - Throws: `FetchError.invalidRequest` while rows are decoded or changes are stored, which need the objects as they are.
    func checkRefresh() throws {
        try checkDecoding()
        guard changes.isCarryingOut else { return }
        throw FetchError(
            .invalidRequest,
            "The context was refreshed while it stores its changes or reads them again, from an attribute's transformation or a "
                + "log handler. Refresh afterwards, such as in didSave().")
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

    // MARK: Fields

    /// Begins or ends a run of `perform`.
    func work(in unit: UnitOfWork?) { self.unit = unit }

    /// Begins to report what becomes of objects to a child; false if the child is known already.
    func addChild(_ child: ManagedObjectContext) -> Bool {
        if children.contains(where: { $0.context === child }) { return false }
        children.removeAll { $0.context == nil }
        children.append(ChildReference(context: child))
        return true
    }

    /// Changes the value of a public property.
    func changeSetting<Value>(_ setting: WritableKeyPath<ContextSettings, Value>, to value: Value) {
        let former = settings[keyPath: setting]
        settings[keyPath: setting] = value
        // Released after the access: its deinit may read the context.
        withExtendedLifetime(former) {}
    }

    /// Cuts the ties of all objects, and the cycles between them, so that nothing outlives the context but what
    /// the program holds.
    private func detachObjects() {
        for object in registry.all { object.detach() }
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

/// A child of a context, which does not keep it alive.
struct ChildReference {
    weak var context: ManagedObjectContext?
}
