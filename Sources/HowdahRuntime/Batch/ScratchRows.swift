import HowdahModel

/// Rows that a generator makes by filling objects, which no context has.
struct ScratchRows<Object: ManagedObject> {
    private let layout: EntityLayout
    private let context: ManagedObjectContext
    /// A Boolean value that indicates whether a row also names the properties that its object was not given.
    private let namesAll: Bool
    /// The stored attributes and to-one relationships that a program sets.
    private let slots: [Int]

    /// - Throws: `FetchError.invalidRequest` for an abstract entity.
    init(_ layout: EntityLayout, _ context: ManagedObjectContext, namesAll: Bool) throws {
        if layout.isAbstract {
            throw FetchError(
                .invalidRequest, "\(layout.name) is abstract. Insert into one of its sub-entities.")
        }
        self.layout = layout
        self.context = context
        self.namesAll = namesAll
        slots = layout.slots.indices.filter { slot in
            switch layout.slots[slot].kind {
            case .attribute(let attribute): !attribute.isDerived && !layout.slots[slot].columns.isEmpty
            case .toOne: true
            case .toMany: false
            }
        }
    }

    /// Returns the next row; nil if the generator has no more.
    func next(_ fill: (Object) throws -> Bool) throws -> [String: Any]? {
        let seed = _ObjectSeed(
            layout: layout, owner: context, key: TemporaryKey.next(), flags: [.inserted, .scratch])
        guard let object = context.store.classes[layout].init(seed) as? Object else {
            throw FetchError(
                .invalidRequest,
                "The batch request has the class \(Object.self), but objects of \(layout.name) have the class "
                    + "\(context.store.classes[layout]). Create the request with "
                    + "\(context.store.classes[layout]).self or ManagedObject.self.")
        }
        // Whoever keeps it gets told.
        defer {
            object.clearChanges()
            object._flags.remove(.inserted)
            object.detach(from: context)
        }
        for (slot, value) in layout.defaults { _ = object._assign(value.normalized, at: slot) }
        object._setInitialValues()
        if try fill(object) { return nil }
        var row: [String: Any] = [:]
        row.reserveCapacity(slots.count)
        for slot in slots {
            if case .attribute = layout.slots[slot].kind {
                if namesAll || object.isWritten(slot) {
                    row[layout.slots[slot].name] = object._value(at: slot)
                }
            } else if object.isWritten(slot) {
                row[layout.slots[slot].name] = object._toOneField(at: slot).object ?? Value.null
            }
        }
        return row
    }
}
