import Foundation
import HowdahModel

extension ManagedObjectContext {
    /// The object with this natural key, or nil where there is none; at most one statement.
    ///
    /// The natural key is the first uniqueness constraint of the entity, or of one that it inherits from, whose members
    /// are required attributes; the values stand in its order. Those of case-insensitive attributes in any case. It stays beside the object's id, which alone other rows
    /// refer to. Unsaved objects are found by the values they have now, and deleted ones are not found, so that a unit
    /// of work can ask before it inserts. Two units that insert one key at the same time are told apart by the save.
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
        let members = try naturalKey(of: layout)
        guard members.count == given.count else {
            throw FetchError(
                .invalidRequest,
                "The natural key of \(layout.name) is (\(names(members, layout))); give a value for each in that order."
            )
        }
        var key: [(slot: Int, value: Value)] = []
        for (slot, given) in zip(members, given) {
            guard let attribute = layout.attribute(slot),
                let value = ValueCoding.value(given, for: attribute.type, path: [], in: .null)?.normalized,
                !value.isNull
            else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name).\(layout.slots[slot].name) cannot hold \(type(of: given)); give a value of its type."
                )
            }
            key.append((slot, value))
        }
        func same(_ slot: Int, _ value: Value) -> Value {
            let isCaseInsensitive = layout.attribute(slot)?.description.isCaseInsensitive ?? false
            return isCaseInsensitive ? value.folded(.caseInsensitive) : value
        }
        let wanted = key.map { (slot: $0.slot, value: same($0.slot, $0.value)) }
        func has(_ object: ManagedObject) -> Bool {
            layout.family.contains(object.layout.index) && !object._flags.contains(.deleted)
                && wanted.allSatisfy { same($0.slot, object._value(at: $0.slot)).isIdentical(to: $0.value) }
        }
        if let pending = (insertedObjects + updatedObjects).first(where: has) { return pending }
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.predicate = .and(
            key.map {
                PredicateTree(
                    .comparison(
                        lhs: .keyPath([layout.slots[$0.slot].name]), op: .equal, rhs: .constant($0.value)))
            })
        request.fetchLimit = 1
        // What the context has changed meanwhile has another key now.
        return try fetch(request).first(where: has)
    }

    /// The slots of the natural key's members.
    private func naturalKey(of layout: EntityLayout) throws -> [Int] {
        let schema = store.layouts.schema
        let table = schema.entities[layout.name].flatMap { schema.table(named: $0.table) }
        for unique in table?.uniques ?? [] {
            guard store.layouts.layout(named: unique.origin.entity)?.family.contains(layout.index) ?? false
            else { continue }
            let slots = unique.origin.properties.compactMap { layout.slotsByName[$0] }
            guard !slots.isEmpty, slots.count == unique.origin.properties.count,
                slots.allSatisfy({ layout.attribute($0)?.isOptional == false })
            else { continue }
            return slots
        }
        throw FetchError(
            .invalidRequest,
            "\(layout.name) has no natural key: no uniqueness constraint of required attributes. Declare one with "
                + "@Attribute(.unique) or @Entity(unique:), or fetch with a predicate.")
    }

    private func names(_ slots: [Int], _ layout: EntityLayout) -> String {
        slots.map { layout.slots[$0].name }.joined(separator: ", ")
    }
}
