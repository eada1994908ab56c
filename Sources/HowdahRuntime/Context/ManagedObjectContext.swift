package import PQClient

/// A working copy of a part of the graph. You fetch objects into it, change them in it, and save them from
/// it.
///
/// A context is confined by its type. Neither it nor its objects are Sendable, so the compiler keeps them
/// inside `perform`. There everything is synchronous, faults included, and may block the worker thread that
/// it runs on. Each row is at most one object per context.
///
/// Get a context from ``PersistentContainer/perform(isolation:retrying:timeout:_:)``, from
/// ``PersistentContainer/newBackgroundContext()``, or on the main actor from
/// ``PersistentContainer/viewContext``.
///
/// Source: Core Data's `NSManagedObjectContext`.
public final class ManagedObjectContext {
    package let store: Store
    /// The source that the context reads from and the target that it saves to.
    let backing: any Backing
    /// The living children. A child runs while its root has the turn.
    private(set) var children: [ChildReference] = []
    package let registry: Registry
    package let changes = Changes()
    package let recorder = Recorder()
    /// The run of `perform` that a root context is in; always nil in a child and in a view context.
    ///
    /// In a child, use `root.unit` for the run.
    @exclusivity(unchecked) package private(set) var unit: UnitOfWork?
    /// The error of the first fault that could not be filled, until it is thrown.
    ///
    /// Every later fetch or save throws it, and `perform` throws it instead of returning. A view context has
    /// no `perform`. Check this property after you read objects, and call ``clearFailure()`` after you have
    /// shown the error.
    @exclusivity(unchecked) public private(set) var failure: (any Error)?
    /// The values of the public properties; each is changed only by its property.
    @exclusivity(unchecked) private(set) var settings = ContextSettings()

    init(store: Store, backing: any Backing) {
        self.store = store
        self.backing = backing
        registry = Registry(hierarchyCount: store.layouts.entities.count)
    }

    deinit {
        if let inbox { followed.unregister(inbox) }
        detachObjects()
    }

    /// The notices of other contexts' saves, which this context also sends its saves to.
    var followed: StoreNotices { backing.notices }

    /// The notices of the children that merge automatically.
    var noticesBelow: StoreNotices { recorder.openBelow() }

    /// The context that this one reads from and saves to; nil if that is the database.
    ///
    /// Source: Core Data's `parent`.
    public var parent: ManagedObjectContext? { backing.parent }

    /// The topmost context, which uses the database.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// A Boolean value that indicates whether the context has changes to save.
    public var hasChanges: Bool {
        inserted.contains(where: \.isToInsert) || deleted.contains(where: \.isToDelete)
            || updated.contains(where: \.isToUpdate) || !links.isEmpty
    }

    /// The objects that the next save inserts, in the order of their creation.
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

    /// The objects that the context knows at the moment, changed or not, in no particular order. New objects
    /// that were deleted are left out.
    ///
    /// Source: Core Data's `registeredObjects`.
    public var registeredObjects: [ManagedObject] { registry.all.filter { !$0.isForgotten } }

    /// The number of objects that the context knows at the moment, changed or not.
    public var registeredObjectCount: Int {
        registry.count - inserted.count { $0.isForgotten && $0._flags.contains(.registered) }
    }

    /// Clears the error of a failed fault, so that you can continue to use a view context.
    public func clearFailure() {
        forgetFailure()
        inbox?.remind()
        mergeAtOnce()
    }

    /// Forgets all objects and changes.
    ///
    /// Objects that you still hold become detached: plain values stay readable, and relationships are
    /// removed. If an attribute's `transformed()` or a log handler calls this while a save stores the
    /// changes, the reset waits until the save has ended.
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

    /// Runs `body` with the connection of the present unit of work; outside of any unit, with a separate one.
    ///
    /// - Throws: `FetchError.invalidRequest` in a child, which can ask its parent only for objects.
    package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkConnection()
        if let unit { return try body(unit.lease()) }
        let unit = UnitOfWork(store: store)
        defer { unit.end() }
        return try body(unit.lease())
    }

    /// - Throws: `FetchError.invalidRequest` in a child, which can ask its parent only for objects, and while
    ///   rows are decoded.
    package func checkConnection() throws {
        if let refusal = backing.refusal { throw refusal }
        try checkDecoding()
    }

    /// A Boolean value that indicates whether this context or an ancestor is decoding rows.
    var isDecoding: Bool { registry.isDecoding || parent?.isDecoding ?? false }

    /// - Throws: `FetchError.invalidRequest` while rows are decoded, which use the connection exclusively.
    func checkDecoding() throws {
        guard isDecoding else { return }
        throw FetchError(
            .invalidRequest,
            "init(transformed:) or init(from:) read or refreshed the context while it was decoding rows. "
                + "Read or refresh in awakeFromFetch() instead.")
    }

    /// Records an error for the next fetch or save, and for the end of `perform`. Only the first error is
    /// kept.
    func noteFailure(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Clears the failure, and merges nothing.
    func forgetFailure() { failure = nil }

    /// - Throws: `FetchError.invalidRequest` while rows are decoded or changes are stored: both need the
    ///   objects unchanged.
    func checkRefresh() throws {
        try checkDecoding()
        guard changes.isCarryingOut else { return }
        throw FetchError(
            .invalidRequest,
            "An attribute's transformation or a log handler refreshed the context while it was saving its "
                + "changes or reading them again. Refresh afterwards, for example in didSave().")
    }

    /// Throws the error of a failed fault, so that nothing is read or saved on the basis of missing values.
    package func throwFailure() throws {
        if let failure { throw failure }
    }

    /// Throws the failure of this context or of one above, as ``throwFailure()`` does.
    func throwFailures() throws {
        try throwFailure()
        try parent?.throwFailures()
    }

    // MARK: Fields

    /// Begins or ends a run of `perform`.
    func work(in unit: UnitOfWork?) { self.unit = unit }

    /// Begins to report changes of objects to a child; false if the child is known already.
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

    /// Detaches all objects and breaks the cycles between them, so that only objects that the program holds
    /// outlive the context.
    private func detachObjects() {
        for object in registry.all { object.detach() }
    }
}

@available(
    *, unavailable,
    message: "a context cannot leave perform. Pass its BackgroundContext handle or the container instead"
)
extension ManagedObjectContext: Sendable {}

extension ManagedObject {
    final var isToInsert: Bool {
        _flags.contains(.inserted) && !_flags.contains(.deleted)
    }

    final var isToUpdate: Bool { _flags.contains(.updated) && !_flags.contains(.deleted) }

    /// False for an object whose row is deleted: it stays in the context's deleted objects until the next
    /// save.
    fileprivate final var isToDelete: Bool {
        _flags.contains(.deleted) && !_flags.contains(.inserted) && owner != nil
    }
}

/// A weak reference to a child of a context.
struct ChildReference {
    weak var context: ManagedObjectContext?
}
