public import HowdahModel

/// An object of the graph: typed values, relationships, and a place in exactly one context.
///
/// An object belongs to the context that created or fetched it and never crosses to another. The compiler
/// refuses to return it from `perform`, to capture it in a task or to store it in a global variable. Pass its
/// ``objectID`` or plain values instead.
///
/// You read values without I/O once the row is loaded. A *fault* loads its row on first access, and the rows
/// of its whole cohort with it. A fault that cannot be filled never traps. It reads as zero values, and the
/// next fetch, save or end of `perform` throws the error.
///
/// A `deinit` of a subclass can read the context, which no longer returns the object. It must neither change
/// the object nor retain it, nor read properties that are not loaded. Override ``didTurnIntoFault()`` for
/// that.
///
/// Subclass it with typed fields. If an entity has no class, use `ManagedObject` itself; see
/// `value(forKey:)`.
///
/// Source: Core Data's `NSManagedObject`.
nonisolated open class ManagedObject {
    /// The state that accessors check before they access a field.
    @exclusivity(unchecked) public final var _flags: _ObjectFlags
    /// The slots written since the last save: bit n stands for slot n. `changes` records slots from 64 on.
    @exclusivity(unchecked) public final var _written: UInt64
    @exclusivity(unchecked) package final var key: Int64
    @exclusivity(unchecked) final var version: Int64
    @exclusivity(unchecked) final unowned(unsafe) var owner: (any ObjectOwner)?
    /// The record that to-one relationships to this object hold. It retains this object.
    @exclusivity(unchecked) final unowned(unsafe) var reference: Destination?
    @exclusivity(unchecked) final var cohort: Cohort?
    @exclusivity(unchecked) final var changes: ChangeRecord?
    @exclusivity(unchecked) final var generic: GenericStorage?
    package final let layout: EntityLayout

    /// Creates an object from a seed, which only the library can make. In your code, call `init(context:)`.
    public required init(_ seed: _ObjectSeed) {
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

    /// The number of the version that was read.
    final var rowVersion: Int64 { version }

    // MARK: What a typed class overrides

    /// The entity of a class written in Swift; nil in classes that take theirs from a model.
    open class var entity: EntityDescription? { nil }

    /// The key paths of all properties, inherited ones too, rooted at this class, and their names.
    ///
    /// If a setter is less visible than its getter, there are two paths: one with the setter and one without
    /// it.
    open class var _keyPaths: [_PropertyKeyPath] { [] }

    /// The entity's name. Relationships of other classes use it to name their destination.
    open class var _entityName: String { entity?.name ?? String(describing: self) }

    /// Sets the values that each new object computes for itself. The library calls it once, after it has set
    /// the model's defaults.
    open func _setInitialValues() {}

    /// Reads the values of the class's properties from a row, in the order of the entity's properties.
    open func _decode(_ row: inout _RowReader) { generic?.decode(&row) }

    /// Returns the present value of an attribute, without firing a fault.
    open func _value(at slot: Int) -> Value { generic?.values[slot] ?? .null }

    /// Assigns a value to an attribute without tracking the change.
    ///
    /// - Returns: False if the type does not fit.
    open func _assign(_ value: Value, at slot: Int) -> Bool { generic?.assign(value, at: slot) ?? false }

    /// Returns the storage of a to-one relationship.
    open func _toOneField(at slot: Int) -> _ToOneField { generic?.toOnes[slot] ?? _ToOneField() }

    /// Replaces the storage of a to-one relationship, without tracking the change.
    open func _assignToOne(_ field: _ToOneField, at slot: Int) { generic?.toOnes[slot] = field }

    /// Returns the storage of a to-many relationship; nil before its first use.
    open func _toManyState(at slot: Int) -> _ToManyState? { generic?.toManys[slot] }

    /// Replaces the storage of a to-many relationship, without tracking the change.
    open func _assignToMany(_ state: _ToManyState?, at slot: Int) { generic?.toManys[slot] = state }

    // MARK: Hooks

    /// Runs once after a new object has its initial values. Changes that you make here count as initial
    /// values.
    ///
    /// Source: Core Data's `awakeFromInsert()`.
    open func awakeFromInsert() {}

    /// Runs each time the object's row was loaded, after the whole result was read.
    ///
    /// You can fetch and fire faults here. Changes are tracked as usual.
    ///
    /// If the row was read again under unsaved changes, they are in place again. If the hook of another
    /// object has turned this one into a fault, the call follows when the object is loaded again. If a save
    /// loads the object, the call follows when the changes are stored. A child context receives the values as
    /// the hooks of its parent's objects left them.
    ///
    /// Source: Core Data's `awakeFromFetch()`.
    open func awakeFromFetch() {}

    /// Runs after the object's values were replaced without a setter: by a rollback, a merge or undo.
    ///
    /// Source: Core Data's `awake(fromSnapshotEvents:)`.
    open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}

    /// Runs before each save that the object takes part in. You may change this object and others.
    ///
    /// Source: Core Data's `willSave()`, but called once per object and save.
    open func willSave() {}

    /// The properties that a save passes to ``validateValue(_:forKey:)``; none by default.
    ///
    /// A save checks all of them for a new object, and for a changed object those that changed.
    open class var validatedKeys: [String] { [] }

    /// Checks a value that a property has or might get. Override it, call `super`, and throw the fault that
    /// you find.
    ///
    /// This implementation checks the model's own rules for the attribute, without a query. It sets nothing.
    ///
    /// - Parameter value: A value in the form of ``value(forKey:)``.
    ///
    /// Source: Core Data's `validateValue(_:forKey:)`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` if there are several.
    open func validateValue(_ value: Any?, forKey key: String) throws {
        try checkRules(of: value, forKey: key)
    }

    /// Checks a new object before it is stored. Override it, call `super`, and throw the fault that you find.
    ///
    /// Each save calls it together with the checks of the model's rules, and reports the errors of all
    /// objects at once. If you call it, it checks the rules for values; only the save checks rules about
    /// other rows. It must change nothing.
    ///
    /// Source: Core Data's `validateForInsert()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` if there are several.
    open func validateForInsert() throws { try checkRules(isNew: true) }

    /// Checks an object that is already stored, as ``validateForInsert()`` checks a new one.
    ///
    /// Source: Core Data's `validateForUpdate()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` if there are several.
    open func validateForUpdate() throws { try checkRules(isNew: false) }

    /// Checks an object that is to be deleted, as ``validateForInsert()`` checks a new one. The save checks
    /// delete rules.
    ///
    /// Source: Core Data's `validateForDelete()`.
    ///
    /// - Throws: ``ValidationIssue``, or ``SaveError`` if there are several.
    open func validateForDelete() throws {}

    /// Runs after each save that stored or deleted the object, when its context is clean. You can still read
    /// the plain values of a deleted object.
    ///
    /// In a transaction around several saves it runs after the save, not after the transaction.
    ///
    /// Source: Core Data's `didSave()`.
    open func didSave() {}

    /// Runs once before the object is deleted: by `delete(_:)`, or if a cascade reaches the object and it is
    /// loaded then. Relationships are unchanged at that time.
    ///
    /// Source: Core Data's `prepareForDeletion()`.
    open func prepareForDeletion() {}

    /// Runs before the object releases its values, which you can still read.
    ///
    /// Source: Core Data's `willTurnIntoFault()`.
    open func willTurnIntoFault() {}

    /// Runs after the object released its values. If you read one, all of them load again.
    ///
    /// Source: Core Data's `didTurnIntoFault()`.
    open func didTurnIntoFault() {}

    // MARK: What an accessor calls

    /// Loads the whole row if it is not loaded.
    @inlinable public final func _willRead() {
        if _flags.contains(.fault) { _fulfill() }
    }

    /// Loads the value of `slot` if it is not loaded; the first line of every getter.
    @inlinable public final func _willRead(_ slot: @autoclosure () -> Int) {
        if _flags.contains(.fault) { _fulfill(slot()) }
    }

    /// Records the value of `slot` before its first change; the first line of every setter.
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

    /// Marks a property as changed if its new value is already assigned.
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

    /// Marks every property as set, for a new object that is stored as it is.
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

    /// Returns the context's interface to this object.
    ///
    /// It is nil if a save, a merge or another session removed the object; the context then fails. If the
    /// context itself has ended, the call traps.
    final func ownerToChange() -> (any ObjectOwner)? {
        if let owner, !_flags.contains(.detached) { return owner }
        guard let former = changes?.formerOwner else {
            preconditionFailure(
                "An object of \(layout.name) was changed after its context ended. Fetch it again by its objectID in a "
                    + "new context."
            )
        }
        former.fail(detachedError("changed"))
        return nil
    }

    /// Fails the context because of an invalid argument of an accessor, which cannot throw.
    final func refuse(_ message: String) {
        (owner ?? changes?.formerOwner)?.fail(FetchError(.invalidRequest, message))
    }

    /// Returns the error for a use of an object that its context has released.
    final func detachedError(_ what: String) -> FetchError {
        FetchError(
            .objectNotFound,
            _flags.contains(.deleted)
                ? "An object of \(layout.name) was \(what) after a save or another session had deleted it. "
                    + "Fetch the objects again, or create a new one."
                : "An object of \(layout.name) was \(what) after its context had released it, by a rollback or a "
                    + "reset. Fetch it again by its objectID or its unique values."
        )
    }

    package final func isWritten(_ slot: Int) -> Bool {
        slot < 64 ? _written & (1 << UInt64(slot)) != 0 : changes?.highSlots.contains(slot) ?? false
    }

    /// Returns the present value of a slot as change tracking compares it: attributes by value, to-ones by
    /// reference.
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
    message: "managed objects cannot leave their context. Return objectID or plain values instead"
)
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
    /// Returns a Boolean value that indicates whether two references refer to one object.
    ///
    /// They do if they are identical, or if one object forwards to the other because a save found that both
    /// stand for one row.
    ///
    /// Sets, dictionaries and other generic code compare references only, as `===` does: if two elements
    /// became equal, the process would stop.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
        left === right || left.resolved === right.resolved
    }

    /// Returns the opposite of `==`.
    public static func != (left: ManagedObject, right: ManagedObject) -> Bool { !(left == right) }

    /// Compares references for generic code: a save must not change the result while an object is in a set.
    @_implements(Equatable,==(_:_:))
    public static func _isIdentical(_ left: ManagedObject, _ right: ManagedObject) -> Bool { left === right }

    /// Hashes the reference.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Returns a Boolean value that indicates whether two optional references refer to one object; nil equals
/// nil.
public func == (left: ManagedObject?, right: ManagedObject?) -> Bool { left?.resolved === right?.resolved }

/// Returns the opposite of `==`.
public func != (left: ManagedObject?, right: ManagedObject?) -> Bool { !(left == right) }
