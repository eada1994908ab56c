import Foundation
import HowdahModel

extension ManagedObjectContext {
    /// Returns the object with this natural key, or nil if there is none; at most one statement.
    ///
    /// The natural key is the uppermost uniqueness constraint of the entity whose members are required. If
    /// there is none, it is the uppermost constraint with any members. `importGraph` matches by the same one.
    /// Members are attributes and to-one relationships to entities with a natural key. The natural key is in
    /// addition to the object's id, and other rows refer only to the id.
    ///
    /// Give the values in the constraint's order: for case-insensitive attributes in any case, for a
    /// relationship the id of its destination.
    ///
    /// Unsaved objects are found by their present values, and deleted ones are not found. So you can call
    /// this before you insert. If two units of work insert one key at the same time, the save reports it.
    ///
    /// - Throws: `FetchError.invalidRequest` if the entity has no such constraint, or if values do not fit
    ///   its members; the errors of ``fetch(_:)``.
    public func object<Object: ManagedObject>(
        _ type: Object.Type, naturalKey values: any Sendable...
    ) throws -> Object? {
        try object(in: layout(for: FetchRequest<Object>()), values) as? Object
    }

    /// Returns the object of an entity by name with this natural key; see
    /// ``object(_:naturalKey:)-(Object.Type,_)``.
    ///
    /// - Throws: The errors of the form for a class.
    public func object(_ entityName: String, naturalKey values: any Sendable...) throws -> ManagedObject? {
        try object(in: layout(for: FetchRequest<ManagedObject>(entityName: entityName)), values)
    }

    private func object(in layout: EntityLayout, _ given: [any Sendable]) throws -> ManagedObject? {
        guard let key = store.layouts.naturalKeys.finding(layout) else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name) has no natural key by which to find an object. A natural key is a uniqueness "
                    + "constraint over attributes. It can include to-one relationships to entities that have a "
                    + "natural key. Declare one with @Attribute(.unique) or @Entity(unique:), or fetch with a "
                    + "predicate."
            )
        }
        guard key.slots.count == given.count else {
            let names = key.slots.map { layout.slots[$0].name }.joined(separator: ", ")
            throw FetchError(
                .invalidRequest,
                "The natural key of \(layout.name) is (\(names)). Pass one value for each, in that order.")
        }
        let members = try zip(key.slots, given).map { try member($0, of: layout, $1) }
        let wanted = NaturalKeyValue(members, key)
        func has(_ object: ManagedObject) -> Bool {
            layout.family.contains(object.layout.index) && !object._flags.contains(.deleted)
                && NaturalKeyValue(of: object, key) == wanted
        }
        if let pending = (insertedObjects + updatedObjects).first(where: has) { return pending }
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.predicate = .and(
            zip(key.slots, members).map {
                PredicateTree(
                    .comparison(lhs: .keyPath([layout.slots[$0].name]), op: .equal, rhs: .constant($1)))
            })
        request.fetchLimit = 1
        // What the context has changed meanwhile has another key now.
        return try fetch(request).first(where: has)
    }

    /// Returns a member's value in the form for comparison; a reference for a relationship.
    private func member(_ slot: Int, of layout: EntityLayout, _ given: any Sendable) throws -> Value {
        if let relationship = layout.slots[slot].relationship {
            guard case .reference(let reference)? = Value(predicateArgument: given),
                let destination = store.layouts.layout(storedName: reference.entity),
                layouts[relationship.destination].family.contains(destination.index)
            else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name).\(layout.slots[slot].name) refers to \(layouts[relationship.destination].name). "
                        + "Pass the objectID of \(layouts[relationship.destination].name.article) "
                        + "\(layouts[relationship.destination].name).")
            }
            return .reference(ObjectReference(key: reference.key, entity: reference.entity))
        }
        guard let attribute = layout.attribute(slot),
            let value = ValueCoding.value(given, for: attribute.type, path: [], in: .null)?.normalized,
            !value.isNull
        else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(layout.slots[slot].name) cannot hold \(type(of: given)). Pass a value of the type "
                    + "\(layout.attribute(slot)?.type.name ?? "of the attribute")."
            )
        }
        return value
    }
}
