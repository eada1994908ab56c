import HowdahModel

/// The changed values of an object, kept while its row is read again.
struct PendingValues {
    private let object: ManagedObject
    private let version: Int64
    /// The slots whose stored values are kept, because they were written.
    private let written: [Int]
    /// The changed values of these slots. A value that was set back is not a change, which could hide another
    /// session's.
    private let present: [(slot: Int, original: ChangeRecord.Original)]
    private let all: [(slot: Int, original: ChangeRecord.Original)]

    init(_ object: ManagedObject) {
        self.object = object
        version = object.version
        written = (object.changes?.originals ?? []).map(\.slot)
        present = object.changedSlots.map { ($0, object.original(at: $0)) }
        all = object.layout.slots.indices.compactMap { slot in
            if case .toMany = object.layout.slots[slot].kind { return nil }
            return (slot, object.original(at: slot))
        }
    }

    /// Makes the new values the stored ones, and the changes the present ones.
    func reapply() {
        let record = ChangeRecord()
        record.highSlots = object.changes?.highSlots ?? []
        for slot in written { record.keep(object.original(at: slot), of: slot) }
        object.changes = record
        for (slot, value) in present { object.put(value, at: slot) }
    }

    /// Restores the object to its state before its row was read.
    func putBack() {
        object._flags.subtract([.fault, .partial])
        object.version = version
        for (slot, value) in all { object.put(value, at: slot) }
    }
}

extension ManagedObject {
    /// Returns the error for a stored value that the class refuses.
    final func untakenValue(at slot: Int) -> FetchError {
        FetchError(
            .invalidValue,
            "\(layout.name).\(layout.slots[slot].name) has a stored value that the Swift type of the property "
                + "cannot represent. Add the missing case to an enum, choose a wider type, or update the row "
                + "in SQL.")
    }

    /// Assigns a value to a slot without tracking the change; false if the class does not accept it.
    @discardableResult
    final func put(_ value: ChangeRecord.Original, at slot: Int) -> Bool {
        switch value {
        case .value(let value): return _assign(value, at: slot)
        case .toOne(let field):
            _assignToOne(field, at: slot)
            return true
        }
    }
}
