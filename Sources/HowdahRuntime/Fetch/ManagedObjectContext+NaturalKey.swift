import Foundation
import HowdahModel

extension ManagedObjectContext {
    /// The object with this natural key, or nil where there is none; at most one statement.
    ///
    /// The natural key is the uppermost uniqueness constraint of the entity whose members are required, or where there is
    /// none, the uppermost with any members; the same that `importGraph` matches by. Members are attributes and to-one
    /// relationships to entities with a natural key. The values stand in the constraint's order: those of
    /// case-insensitive attributes in any case, a relationship's as the id of its destination. The key stands beside the
    /// object's id, which alone other rows refer to. Unsaved objects are found by the values they have now, and deleted
    /// ones are not found, so that a unit of work can ask before it inserts. Two units that insert one key at the same
    /// time are told apart by the save.
    ///
    /// - Throws: `FetchError.invalidRequest` where the entity has no such constraint, or values do not fit its members;
    ///   as ``fetch(_:)``.
    public func object<Object: ManagedObject>(
        _ type: Object.Type, naturalKey values: any Sendable...
    ) throws -> Object? {
        try object(in: layout(for: FetchRequest<Object>()), values) as? Object
    }

    /// The object of an entity by name with this natural key; see ``object(_:naturalKey:)-(Object.Type,_)``.
    ///
    /// - Throws: as for a class.
    public func object(_ entityName: String, naturalKey values: any Sendable...) throws -> ManagedObject? {
        try object(in: layout(for: FetchRequest<ManagedObject>(entityName: entityName)), values)
    }

    private func object(in layout: EntityLayout, _ given: [any Sendable]) throws -> ManagedObject? {
        guard let key = store.layouts.naturalKeys.finding(layout) else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name) has no natural key: no uniqueness constraint of attributes and of to-ones with a natural "
                    + "key. Declare one with @Attribute(.unique) or @Entity(unique:), or fetch with a predicate."
            )
        }
        guard key.slots.count == given.count else {
            let names = key.slots.map { layout.slots[$0].name }.joined(separator: ", ")
            throw FetchError(
                .invalidRequest,
                "The natural key of \(layout.name) is (\(names)); give a value for each in that order.")
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

    /// A member's value as it is compared; of a relationship a reference.
    private func member(_ slot: Int, of layout: EntityLayout, _ given: any Sendable) throws -> Value {
        if let relationship = layout.slots[slot].relationship {
            guard case .reference(let reference)? = Value(predicateArgument: given),
                let destination = store.layouts.layout(storedName: reference.entity),
                layouts[relationship.destination].family.contains(destination.index)
            else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name).\(layout.slots[slot].name) leads to \(layouts[relationship.destination].name); "
                        + "give the objectID of one.")
            }
            return .reference(ObjectReference(key: reference.key, entity: reference.entity))
        }
        guard let attribute = layout.attribute(slot),
            let value = ValueCoding.value(given, for: attribute.type, path: [], in: .null)?.normalized,
            !value.isNull
        else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(layout.slots[slot].name) cannot hold \(type(of: given)); give a value of its type."
            )
        }
        return value
    }
}
