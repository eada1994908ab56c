public import HowdahModel

/// One object of the graph: typed values, relationships, and a place in exactly one context.
///
/// An object belongs to the context that made or fetched it and never crosses to another: the compiler refuses
/// to return it from `perform`, to capture it in a task or to store it in a global. Pass its ``objectID`` or
/// plain values instead.
///
/// Values are read without I/O once the row is loaded. A *fault* loads its row on first access, for its whole
/// cohort at once. A fault that cannot be filled never traps: it reads as zero values, and the next fetch, save
/// or end of `perform` throws what went wrong.
///
/// A `deinit` of a subclass can read the context, which does not return the object any more. It must neither change the
/// object nor keep it, nor read properties that are not loaded: override ``didTurnIntoFault()`` for that.
///
/// Subclass it with typed fields, or use it as it is for entities without a class: see `value(forKey:)`.
///
/// Source: Core Data's `NSManagedObject`.
nonisolated open class ManagedObject {
    /// What the accessors must know before they touch a field.
    @exclusivity(unchecked) public final var _flags: ObjectFlags
    /// Bit n is set once slot n was written since the last save; slots from 64 on have theirs in `changes`.
    @exclusivity(unchecked) public final var _written: UInt64
    @exclusivity(unchecked) package final var key: Int64
    @exclusivity(unchecked) final var version: Int64
    @exclusivity(unchecked) final unowned(unsafe) var owner: (any ObjectOwner)?
    /// What to-ones that lead here hold; it holds this object.
    @exclusivity(unchecked) final unowned(unsafe) var reference: Destination?
    @exclusivity(unchecked) final var cohort: Cohort?
    @exclusivity(unchecked) final var changes: ChangeRecord?
    @exclusivity(unchecked) final var generic: GenericStorage?
    package final let layout: EntityLayout

    /// Called by the library, which alone can make a seed. Use `init(context:)` in programs.
    public required init(_ seed: ObjectSeed) {
        layout = seed.layout
        owner = seed.owner
        key = seed.key
        version = 0
        _flags = seed.flags
        _written = 0
        if type(of: self) == ManagedObject.self {
            generic = GenericStorage(layout: seed.layout)
        }
        // No row brings them.
        for (slot, value) in layout.transientDefaults { _ = _assign(value, at: slot) }
    }

    deinit {
        if _flags.contains(.registered) { owner?.forget(self) }
    }

    // MARK: What a typed class overrides

    /// The entity of a class written in Swift; nil in classes that take theirs from a model.
    open class var entity: EntityDescription? { nil }

    /// The key paths of all properties, inherited ones too, rooted at this class, and their names.
    ///
    /// Where a setter is less visible than its getter, both the path with and the one without it.
    open class var _keyPaths: [PropertyKeyPath] { [] }

    /// The entity's name, which relationships of other classes take to name their destination.
    open class var _entityName: String { entity?.name ?? String(describing: self) }

    /// Sets what each new object computes for itself; called once, after the model's defaults were set.
    open func _setInitialValues() {}

    /// Takes the values of the class's properties from a row, in the order of the entity's properties.
    open func _decode(_ row: inout RowReader) { generic?.decode(&row) }

    /// The value of an attribute as it stands, without firing a fault.
    open func _value(at slot: Int) -> Value { generic?.values[slot] ?? .null }

    /// Puts a value into an attribute as it is, without tracking the change; false where the type does not fit.
    open func _assign(_ value: Value, at slot: Int) -> Bool { generic?.assign(value, at: slot) ?? false }

    /// The storage of a to-one relationship.
    open func _toOneField(at slot: Int) -> ToOneField { generic?.toOnes[slot] ?? ToOneField() }

    /// Replaces the storage of a to-one relationship, without tracking the change.
    open func _assignToOne(_ field: ToOneField, at slot: Int) { generic?.toOnes[slot] = field }

    /// The storage of a to-many relationship; nil until it was asked for.
    open func _toManyState(at slot: Int) -> ToManyState? { generic?.toManys[slot] }

    /// Replaces the storage of a to-many relationship, without tracking the change.
    open func _assignToMany(_ state: ToManyState?, at slot: Int) { generic?.toManys[slot] = state }

    // MARK: Hooks

    /// Called once, when a new object was made and has its initial values; changes made here count as initial.
    ///
    /// Source: Core Data's `awakeFromInsert()`.
    open func awakeFromInsert() {}

    /// Called each time the object's row was loaded, after the whole result was read: fetches and faults are
    /// allowed here, changes are tracked as anywhere.
    ///
    /// If the row was read anew under unsaved changes, they are in place again. If the hook of another object has made
    /// this one a fault meanwhile, it is called when the object is loaded again. If a save loads the object, it is called
    /// when the changes are stored. A child takes what the hooks of its parent's objects made of the values.
    ///
    /// Source: Core Data's `awakeFromFetch()`.
    open func awakeFromFetch() {}

    /// Called when the object's values were replaced by something else than a setter: a rollback, a merge, undo.
    ///
    /// Source: Core Data's `awake(fromSnapshotEvents:)`.
    open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}

    /// Called before each save that the object takes part in; may change this object and others.
    ///
    /// Source: Core Data's `willSave()`, but called once per object and save.
    open func willSave() {}

    /// The properties for which a save calls ``validateValue(_:forKey:)``: those of new objects, and of changed ones
    /// where they changed. None by default.
    open class var validatedKeys: [String] { [] }

    /// Checks a value that a property has or might get; override it, call `super`, and throw what is wrong.
    ///
    /// The model's own rules for the attribute are checked here, without the store being asked. Nothing is set.
    ///
    /// - Parameter value: spelled as by ``value(forKey:)``.
    ///
    /// Source: Core Data's `validateValue(_:forKey:)`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` with several.
    open func validateValue(_ value: Any?, forKey key: String) throws {
        try checkRules(of: value, forKey: key)
    }

    /// Checks a new object before it is stored; override it, call `super`, and throw what is wrong.
    ///
    /// Called by each save, together with the checks of the model's rules; what all objects throw is reported at once.
    /// Called by a program, it checks the rules for values; those about other rows are for the save. It must change
    /// nothing.
    ///
    /// Source: Core Data's `validateForInsert()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` with several.
    open func validateForInsert() throws { try checkRules(isNew: true) }

    /// As ``validateForInsert()``, for an object that is stored already.
    ///
    /// Source: Core Data's `validateForUpdate()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` with several.
    open func validateForUpdate() throws { try checkRules(isNew: false) }

    /// As ``validateForInsert()``, for an object that is to be deleted; delete rules are for the save.
    ///
    /// Source: Core Data's `validateForDelete()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` with several.
    open func validateForDelete() throws {}

    /// Called after each save that stored or deleted the object, when its context is clean; of a deleted object the
    /// plain values are still readable.
    ///
    /// In a transaction around several saves it is called after the save, not after the transaction.
    ///
    /// Source: Core Data's `didSave()`.
    open func didSave() {}

    /// Called once before the object is deleted: by `delete(_:)`, or because a cascade reaches it, as far as it is
    /// loaded then. Relationships are still as they were.
    ///
    /// Source: Core Data's `prepareForDeletion()`.
    open func prepareForDeletion() {}

    /// Called before the object lets go of its values, which are still readable.
    ///
    /// Source: Core Data's `willTurnIntoFault()`.
    open func willTurnIntoFault() {}

    /// Called after the object let go of its values; reading one loads all of them again.
    ///
    /// Source: Core Data's `didTurnIntoFault()`.
    open func didTurnIntoFault() {}

    // MARK: What an accessor calls

    /// Makes sure that the whole row is loaded.
    @inlinable public final func _willRead() {
        if _flags.contains(.fault) { _fulfill() }
    }

    /// Makes sure that the value of `slot` is loaded; the first line of every getter.
    @inlinable public final func _willRead(_ slot: @autoclosure () -> Int) {
        if _flags.contains(.fault) { _fulfill(slot()) }
    }

    /// Remembers the value of `slot` before its first change; the first line of every setter.
    @inlinable public final func _willWrite(_ slot: Int) {
        if slot < 64, _written & (1 &<< UInt64(truncatingIfNeeded: slot)) != 0,
            _flags.isDisjoint(with: [.fault, .detached, .watched])
        {
            return
        }
        _beginWriting(slot)
    }

    /// Ends a change of an attribute; the last line of every setter.
    @inlinable public final func _didWrite(_ slot: Int) {
        if _flags.contains(.forwarding) { _passOn(slot) }
    }

    @usableFromInline final func _fulfill(_ slot: Int) {
        if _flags.contains(.forwarding) { return copyFromSuccessor(slot) }
        if !holds(slot) { _fulfill() }
    }

    @usableFromInline final func _fulfill() {
        if _flags.contains(.forwarding) { return layout.slots.indices.forEach(copyFromSuccessor) }
        guard let owner, !_flags.contains(.detached) else { return }
        owner.fulfill(self)
    }

    @usableFromInline final func _beginWriting(_ slot: Int) {
        if _flags.contains(.forwarding) { return }
        guard let owner = ownerToChange() else { return }
        if _flags.contains(.fault) { owner.fulfill(self) }
        if _flags.contains(.watched) { owner.noteWrite(self, slot) }
        if isWritten(slot) { return }
        if layout.derived != nil { layout.checkIsSet(slot) }
        if _flags.contains(.inserted) {
            markWritten(slot)
            return
        }
        if !_flags.contains(.updated) { owner.noteUpdate(self) }
        let record = changes ?? ChangeRecord()
        changes = record
        record.keep(original(at: slot), of: slot)
        markWritten(slot)
    }

    /// Declares a property changed whose new value is in place.
    final func restoreChange(_ original: ChangeRecord.Original, of slot: Int) {
        if isWritten(slot) || _flags.contains(.fault) { return }
        if _flags.isDisjoint(with: [.inserted, .updated]) { owner?.noteUpdate(self) }
        if !_flags.contains(.inserted) {
            let record = changes ?? ChangeRecord()
            changes = record
            record.keep(original, of: slot)
        }
        markWritten(slot)
    }

    /// Declares every property set, as of a new object that is to be stored as it is.
    final func markAllWritten() {
        for slot in layout.slots.indices { markWritten(slot) }
    }

    private final func markWritten(_ slot: Int) {
        if slot < 64 {
            _written |= 1 << UInt64(slot)
        } else {
            let record = changes ?? ChangeRecord()
            changes = record
            record.highSlots.insert(slot)
        }
    }

    /// The context's side of this object; nil, and the context fails, if a save, a merge or another user took it away.
    ///
    /// A trap if the context itself ended.
    final func ownerToChange() -> (any ObjectOwner)? {
        if let owner, !_flags.contains(.detached) { return owner }
        guard let former = changes?.formerOwner else {
            preconditionFailure(
                "\(layout.name) was changed after its context ended. Fetch it again by its objectID in a new one."
            )
        }
        former.fail(detachedError("changed"))
        return nil
    }

    /// Fails the context for what an accessor was given, which cannot throw.
    final func refuse(_ message: String) {
        (owner ?? changes?.formerOwner)?.fail(FetchError(.invalidRequest, message))
    }

    /// What is thrown instead of a change with or of this object, which its context let go.
    final func detachedError(_ what: String) -> FetchError {
        FetchError(
            .objectNotFound,
            _flags.contains(.deleted)
                ? "\(layout.name.article) \(layout.name) was \(what) after a save or another user had deleted it. Fetch it "
                    + "again before, or make a new one."
                : "\(layout.name.article) \(layout.name) was \(what) after its context had let it go, by a rollback or "
                    + "a reset. Fetch it again by its objectID or its unique values."
        )
    }

    package final func isWritten(_ slot: Int) -> Bool {
        slot < 64 ? _written & (1 << UInt64(slot)) != 0 : changes?.highSlots.contains(slot) ?? false
    }

    /// The present value of a slot as change tracking sees it: attributes by value, to-ones by reference.
    final func original(at slot: Int) -> ChangeRecord.Original {
        switch layout.slots[slot].kind {
        case .attribute: .value(_value(at: slot))
        case .toOne: .toOne(_toOneField(at: slot))
        case .toMany: .value(.null)
        }
    }
}

@available(
    *, unavailable,
    message: "managed objects are confined to their context; return objectID or plain values instead"
)
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
    /// Whether two references lead to one object: the same one, or one that forwards to the other because a save found that
    /// both stand for one row.
    ///
    /// Sets, dictionaries and other generic code compare references only, as `===` does: two elements that became equal
    /// would stop the process.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
        left === right || left.resolved === right.resolved
    }

    /// The opposite of `==`.
    public static func != (left: ManagedObject, right: ManagedObject) -> Bool { !(left == right) }

    /// What generic code compares by: a save must not change it while an object is in a set.
    @_implements(Equatable,==(_:_:))
    public static func _isIdentical(_ left: ManagedObject, _ right: ManagedObject) -> Bool { left === right }

    /// Hashes the reference.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Whether two references lead to one object, as for two that are not optional; nil equals nil.
public func == (left: ManagedObject?, right: ManagedObject?) -> Bool { left?.resolved === right?.resolved }

/// The opposite of `==`.
public func != (left: ManagedObject?, right: ManagedObject?) -> Bool { !(left == right) }
