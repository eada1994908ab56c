import HowdahModel
import HowdahRuntime

/// The names and the order of objects by their natural keys.
struct GraphReferences {
    let context: ManagedObjectContext
    let keys: NaturalKeys

    init(_ context: ManagedObjectContext) {
        self.context = context
        keys = context.store.layouts.naturalKeys
    }

    /// Loads the values that the keys of these objects need, with a statement for each hierarchy and step.
    ///
    /// These are their rows, and the rows that key members refer to.
    func load(_ objects: some Sequence<ManagedObject>) throws {
        var current = Array(objects)
        while !current.isEmpty {
            let faults = current.filter(\.isFault)
            if !faults.isEmpty { try context.load(faults) }
            var next: [ObjectIdentifier: ManagedObject] = [:]
            for object in current {
                for slot in keys[object.layout]?.slots ?? []
                where object.layout.slots[slot].relationship != nil && !object.isFault {
                    if let other = object.destination(slot) { next[ObjectIdentifier(other)] = other }
                }
            }
            current = Array(next.values)
        }
    }

    /// Returns the values of an object's key, with those of its members' destinations in their place; nil
    /// without a key.
    func values(of object: ManagedObject) -> [Value]? {
        guard let key = keys[object.layout], !object.isFault else { return nil }
        var values: [Value] = []
        for slot in key.slots {
            if object.layout.slots[slot].relationship != nil {
                guard let other = object.destination(slot), let more = self.values(of: other) else {
                    return nil
                }
                values += more
            } else {
                let value = object._value(at: slot)
                if value.isNull { return nil }
                values.append(value)
            }
        }
        return values
    }

    /// Returns the objects by entity, then by key. Those without one are in the order of their ids, new ones
    /// last.
    func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        if objects.count < 2 { return objects }
        let ranked = objects.map { (object: $0, values: values(of: $0) ?? []) }
        return ranked.sorted { a, b in
            let (layout, other) = (a.object.layout, b.object.layout)
            if layout !== other { return layout.name.utf8.lexicographicallyPrecedes(other.name.utf8) }
            for (value, rival) in zip(a.values, b.values) {
                switch value.order(relativeTo: rival) {
                case .less: return true
                case .greater: return false
                case .equal, nil: continue
                }
            }
            let (key, rival) = (a.object.key, b.object.key)
            return (key < 0) == (rival < 0) ? abs(key) < abs(rival) : key >= 0
        }.map(\.object)
    }

    /// Writes the name of an object: its natural key, or its name in the document.
    ///
    /// - Parameter destination: The entity of the place; another entity is named.
    func write(
        _ object: ManagedObject, as id: String?, to destination: EntityLayout,
        _ writer: inout GraphJSONWriter
    ) throws {
        try writer.object { writer in
            if object.layout !== destination {
                writer.name("@entity")
                writer.string(object.layout.name)
            }
            writer.name("@ref")
            if let id {
                writer.string(id)
            } else {
                try writer.object { writer in try writeKey(of: object, &writer) }
            }
        }
    }

    private func writeKey(of object: ManagedObject, _ writer: inout GraphJSONWriter) throws {
        let layout = object.layout
        let slots = (keys[layout]?.slots ?? []).sorted {
            layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
        }
        for slot in slots {
            writer.name(layout.slots[slot].name)
            switch layout.slots[slot].kind {
            case .attribute(let attribute):
                try writer.value(object._value(at: slot), of: attribute.description)
            case .toOne(let relationship), .toMany(let relationship):
                guard let other = object.destination(slot) else {
                    writer.word("null")
                    continue
                }
                try write(other, as: nil, to: context.layouts[relationship.destination], &writer)
            }
        }
    }
}
