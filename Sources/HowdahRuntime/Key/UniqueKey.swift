import HowdahModel

/// The values of a uniqueness constraint, which at most one object has.
struct UniqueKey {
    /// The text after ON CONFLICT that names the constraint.
    let arbiter: String
    private let layout: EntityLayout
    /// The entity that declares the constraint: a row of any of its sub-entities has the values alone.
    private let declaring: EntityLayout
    private let key: NaturalKeys.Key
    private let values: [Value]

    /// A property and the value that the caller gave.
    struct Member {
        let path: AnyKeyPath
        let value: Any
    }

    /// - Throws: `FetchError.invalidRequest` if no constraint has these properties, or a value is
    ///   missing.
    init(_ members: [Member], of layout: EntityLayout, in context: ManagedObjectContext) throws {
        let layouts = context.store.layouts
        guard !layout.isAbstract else {
            throw FetchError(
                .invalidRequest, "\(layout.name) is abstract. Use one of its sub-entities.")
        }
        var names: [String] = []
        for member in members {
            guard let name = PropertyNames.name(of: member.path) else {
                throw FetchError(.invalidRequest, PropertyNames.complaint(about: member.path))
            }
            names.append(name)
        }
        let rules = layouts.schema.entities[layout.name].flatMap { layouts.schema.table(named: $0.table) }
        let declaring = (rules?.uniques ?? []).filter { Set($0.origin.properties) == Set(names) }
            .compactMap { layouts.layout(named: $0.origin.entity) }
            .filter { $0.family.contains(layout.index) }
            .max { $0.family.count < $1.family.count }
        // It knows the text of the constraint, and says which there are if there is no such one.
        let arbiter = try BatchArbiter(.rollback, named: names, for: layout, in: layouts)
        guard let arbiter, let declaring, !names.isEmpty, Set(names).count == names.count else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name) has no uniqueness constraint over exactly \(names.joined(separator: ", ")). "
                    + "Pass all properties of one constraint, each once.")
        }
        let slots = names.compactMap { layout.slotsByName[$0] }
        values = try zip(slots, members).map { try Self.value($1.value, slot: $0, of: layout) }
        key = NaturalKeys.Key(
            entity: declaring.index, slots: slots,
            folded: Set(
                slots.indices.filter { place in
                    layout.slots[slots[place]].columns.first
                        .map { layout.columns[$0].isCaseInsensitive } ?? false
                }), depth: 0)
        self.arbiter = arbiter.target
        self.layout = layout
        self.declaring = declaring
    }

    private static func value(_ given: Any, slot: Int, of layout: EntityLayout) throws -> Value {
        let place = "\(layout.name).\(layout.slots[slot].name)"
        if let destination = (given as? ManagedObject)?.resolved {
            guard !destination._flags.contains(.inserted), !destination.isForgotten else {
                throw FetchError(
                    .invalidRequest,
                    "\(place) refers to an object that is not saved. Save it first, then call findOrInsert.")
            }
            return .reference(
                ObjectReference(key: destination.key, entity: destination.layout.storedName))
        }
        let value = (given as? any AttributeValue)?._stored._value.normalized ?? .null
        guard !value.isNull else {
            throw FetchError(
                .invalidRequest,
                "\(place) is nil, and several objects may have no value. Pass a value to findOrInsert.")
        }
        return value
    }

    /// The entity and the properties, for messages.
    var place: String {
        let names = key.slots.map { layout.slots[$0].name }
        return "\(layout.name).\(names.count > 1 ? "(\(names.joined(separator: ", ")))" : names[0])"
    }

    /// Returns the object that has the values: an unsaved one, or the stored one; at most one statement.
    ///
    /// - Throws: `SaveError.uniqueness` if the context has changed or deleted the stored one and not saved
    ///   that.
    func find(in context: ManagedObjectContext) throws -> ManagedObject? {
        let wanted = NaturalKeyValue(values, key)
        func has(_ object: ManagedObject) -> Bool {
            declaring.family.contains(object.layout.index) && !object._flags.contains(.deleted)
                && NaturalKeyValue(of: object, key) == wanted
        }
        if let pending = context.changes.unsaved(inHierarchy: declaring.root).first(where: has) {
            return pending
        }
        var request = FetchRequest<ManagedObject>(entityName: declaring.name)
        request.predicate = .and(
            zip(key.slots, values).map {
                PredicateTree(
                    .comparison(lhs: .keyPath([layout.slots[$0].name]), op: .equal, rhs: .constant($1)))
            })
        request.includesPendingChanges = false
        request.shouldRefreshRefetchedObjects = true
        request.fetchLimit = 1
        guard let stored = try context.fetch(request).first else { return nil }
        guard has(stored) else {
            throw SaveError(
                .uniqueness,
                "An object with this value was changed or deleted in the context, and the store still has the value. Save the context before you call findOrInsert.",
                issues: [
                    issue(
                        "that a stored object has until the context saves its change or deletion. Save "
                            + "the context first.")
                ])
        }
        return stored
    }

    /// Checks that a new object can be stored alone.
    ///
    /// - Throws: `FetchError.invalidRequest` for a member that other rows keep too.
    func checkInsertion(in layouts: [EntityLayout]) throws {
        for slot in key.slots {
            guard let relationship = layout.slots[slot].relationship, let inverse = relationship.inverse,
                layouts[relationship.destination].relationship(inverse).isKeptByOwner
            else { continue }
            throw FetchError(
                .invalidRequest,
                "No object has the values of \(place). findOrInsert cannot insert one, because the inverse of "
                    + "\(relationship.name) is ordered or has a minimum or maximum count. Insert an object and save, "
                    + "with a merge policy.")
        }
    }

    /// Checks that a new object has the values after its setter, `setUp` and its hooks.
    ///
    /// - Throws: `SaveError.validation`.
    func check(_ object: ManagedObject) throws {
        guard NaturalKeyValue(of: object, key) != NaturalKeyValue(values, key) else { return }
        let names = key.slots.map { layout.slots[$0].name }
        throw SaveError(
            .validation,
            "\(place) of the new object differs from the value that was passed to findOrInsert. Nothing was "
                + "stored. Pass the value in the form that the class stores.",
            issues: [
                ValidationIssue(
                    nil, layout.name, names, ValidationIssue.generic,
                    "has another value than the one that was passed to findOrInsert, because a setter, setUp or "
                        + "a hook changed it. Pass the value in the form that the class stores, and do not "
                        + "change it in setUp.")
            ])
    }

    /// Returns the error about an object of another class that has the values.
    func taken(by other: EntityLayout) -> SaveError {
        SaveError(
            .uniqueness,
            "A stored \(other.name) already has the unique value. Nothing was saved. Use another "
                + "value, or fetch the object as \(declaring.name.article) \(declaring.name).",
            issues: [
                issue(
                    "that \(other.name.article) \(other.name) already has. Use another value, or fetch the "
                        + "object as \(declaring.name.article) \(declaring.name).")
            ])
    }

    /// Returns a Boolean value that indicates whether an error reports a row with the values.
    func isTaken(_ error: SaveError) -> Bool {
        let names = Set(key.slots.map { layout.slots[$0].name })
        return error.code == .uniqueness && error.issues.contains { Set($0.properties) == names }
    }

    /// Returns the error about a row that has the values, and that no fetch finds.
    func hidden(_ error: SaveError) -> SaveError {
        SaveError(
            .conflict,
            "\(place) has a value whose row cannot be found, although it exists. The column changes the value, as "
                + "citext and numeric(10,2) do, or a row policy hides the row, or other sessions inserted and "
                + "deleted it repeatedly. Pass the value as it is stored, or call findOrInsert again later.",
            databaseError: error.databaseError)
    }

    private func issue(_ sentence: String) -> ValidationIssue {
        let names = key.slots.map { layout.slots[$0].name }
        return ValidationIssue(
            nil, layout.name, names, ValidationIssue.uniqueness, ValidationIssue.unique(names, sentence))
    }
}
