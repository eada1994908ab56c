import HowdahModel

/// The values that an entity's class computes for each new object, such as `= UUID()`, for the rows of a
/// batch insertion.
///
/// One object, which no context has, computes the values of all rows.
struct InitialValues {
    private let object: ManagedObject
    /// The attributes whose values the class computes, and for which the model has no default.
    let slots: Set<Int>
    /// The number of the row whose values the object has.
    private var row = 1

    /// Creates the source of values; nil if the entity has no class, or if its class computes none.
    init?(_ layout: EntityLayout, _ context: ManagedObjectContext) {
        let type = context.store.classes[layout]
        if layout.isAbstract || type == ManagedObject.self { return nil }
        let seed = _ObjectSeed(
            layout: layout, owner: context, key: TemporaryKey.next(), flags: [.inserted, .scratch])
        object = type.init(seed)
        object._setInitialValues()
        slots = Set(
            layout.slots.indices.filter { [object] slot in
                guard case .attribute(let attribute) = layout.slots[slot].kind, object.isWritten(slot),
                    !attribute.isDerived
                else { return false }
                return !layout.slots[slot].columns.isEmpty && attribute.defaultValue == nil
            })
        if slots.isEmpty {
            release(from: context)
            return nil
        }
    }

    /// Returns the value of an attribute for a row. The values of a row are computed together, once.
    mutating func value(at slot: Int, row number: Int) -> Value {
        if row != number {
            object._setInitialValues()
            row = number
        }
        return object._value(at: slot)
    }

    /// Releases the object, after the last row.
    func release(from context: ManagedObjectContext) {
        object.clearChanges()
        object._flags.remove(.inserted)
        object.detach(from: context)
    }
}
