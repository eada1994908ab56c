import HowdahModel
import HowdahRuntime
import PQClient

/// The objects of a document's records and references: those in the database and the context, and new ones.
///
/// It only reads. It costs one statement for each entity with a natural key, level of keys within keys, and
/// 1,000 keys.
struct GraphMatching {
    /// The result for a target.
    enum Handle {
        case object(ManagedObject)
        /// A record without an existing object; the first of those with its key.
        case record(Int)
    }

    let context: ManagedObjectContext
    let keys: NaturalKeys
    let records: [GraphRecord]
    /// The rows of names that occurred before these records.
    let earlier: [String: StoredRow]
    /// For each record the first one with the same natural key.
    private(set) var canonical: [Int]
    /// For each of those the most special entity that the document names.
    private(set) var entities: [EntityLayout]
    /// For each of those the existing object.
    private(set) var existing: [ManagedObject?]
    private var names: [String: Int] = [:]
    private var known: [Int: [NaturalKeyValue: Handle]] = [:]
    private var pending: [Int: [NaturalKeyValue: ManagedObject]] = [:]

    /// A row by entity and key.
    struct StoredRow: Hashable {
        let entity: Int
        let key: Int64
    }

    /// - Parameter others: Targets of links without a record.
    init(
        _ context: ManagedObjectContext, _ keys: NaturalKeys, _ records: [GraphRecord],
        earlier: [String: StoredRow] = [:], others: [GraphTarget] = []
    ) throws {
        self.context = context
        self.keys = keys
        self.records = records
        self.earlier = earlier
        canonical = Array(records.indices)
        entities = records.map(\.entity)
        existing = Array(repeating: nil, count: records.count)
        for (index, record) in records.enumerated() {
            guard let id = record.id else { continue }
            if names.updateValue(index, forKey: id) != nil || earlier[id] != nil {
                throw GraphError(
                    .duplicateObject, "Another object has the same \"@id\". Give each object its own.",
                    at: record.place, entity: record.entity)
            }
        }
        try match(others)
        try refuseSubentities()
    }

    /// Returns the result for a target; nil if it is neither in the document nor in the store.
    func resolve(_ target: GraphTarget) -> Handle? {
        switch target {
        case .record(let index): return handle(of: index)
        case .id(let name, _):
            if let index = names[name] { return handle(of: index) }
            return earlier[name].map { .object(context.object(entity: $0.entity, key: $0.key)) }
        case .key(let entity, let members):
            guard let key = keys[context.layouts[entity]], let raw = values(of: members) else { return nil }
            guard case .record(let index)? = known[key.entity]?[NaturalKeyValue(raw, key)] else {
                return known[key.entity]?[NaturalKeyValue(raw, key)]
            }
            return handle(of: index)
        case .stored(let entity, let key): return .object(context.object(entity: entity, key: key))
        }
    }

    func handle(of index: Int) -> Handle {
        let first = canonical[index]
        return existing[first].map(Handle.object) ?? .record(first)
    }

    /// Returns the entity of a target's result.
    func entity(of handle: Handle) -> EntityLayout {
        switch handle {
        case .object(let object): object.layout
        case .record(let index): entities[index]
        }
    }

    /// - Throws: `GraphError.invalidEntity` for a reference to an object of another entity than it names.
    func checkNamedEntity(
        _ handle: Handle, _ target: GraphTarget, at place: GraphPlace, of owner: EntityLayout,
        property: String
    ) throws(GraphError) {
        guard let named = target.entity, !isOfNamedEntity(handle, target) else { return }
        let entity = entity(of: handle)
        let name = context.layouts[named].name
        throw GraphError(
            .invalidEntity,
            "The reference is to \(entity.name.article) \(entity.name), which is not \(name.article) \(name). "
                + "Name \(entity.name) with \"@entity\", or leave \"@entity\" out.", at: place, entity: owner,
            property: property)
    }

    /// Returns a Boolean value that indicates whether a reference refers to an object of the entity that it
    /// names.
    private func isOfNamedEntity(_ handle: Handle, _ target: GraphTarget) -> Bool {
        guard let named = target.entity else { return true }
        return context.layouts[named].family.contains(entity(of: handle).index)
    }

    // MARK: Keys

    private mutating func match(_ others: [GraphTarget]) throws {
        var targets: [[(entity: Int, members: [GraphTarget.KeyMember])]] = Array(
            repeating: [], count: keys.depth + 1)
        func collect(_ target: GraphTarget) {
            guard case .key(let entity, let members) = target,
                let depth = keys[context.layouts[entity]]?.depth
            else { return }
            targets[depth].append((entity, members))
            for case .target(let inner) in members { collect(inner) }
        }
        for target in others { collect(target) }
        for link in records.lazy.flatMap(\.links) { for target in link.targets { collect(target) } }
        for level in 0...keys.depth {
            var wanted: [Int: [NaturalKeyValue: [Value]]] = [:]
            for index in records.indices {
                guard let key = keys.finding(records[index].entity), key.depth == level,
                    let raw = values(of: records[index], key)
                else { continue }
                let found = NaturalKeyValue(raw, key)
                if case .record(let first)? = known[key.entity]?[found] {
                    try merge(index, into: first)
                } else {
                    known[key.entity, default: [:]][found] = .record(index)
                    wanted[key.entity, default: [:]][found] = raw
                }
            }
            for (entity, members) in targets[level] {
                guard let key = keys[context.layouts[entity]], let raw = values(of: members) else { continue }
                let found = NaturalKeyValue(raw, key)
                if known[key.entity]?[found] == nil { wanted[key.entity, default: [:]][found] = raw }
            }
            for entity in wanted.keys.sorted() { try lookUp(wanted[entity] ?? [:], entity) }
        }
    }

    private mutating func merge(_ index: Int, into first: Int) throws {
        let (entity, other) = (records[index].entity, entities[first])
        if other.family.contains(entity.index) {
            entities[first] = entity
        } else if !entity.family.contains(other.index) {
            throw GraphError(
                .duplicateObject,
                "Another object of the document has the same natural key and is \(other.name.article) "
                    + "\(other.name). Give the two objects different keys, or the same entity.",
                at: records[index].place, entity: entity)
        }
        canonical[index] = first
    }

    private func values(of record: GraphRecord, _ key: NaturalKeys.Key) -> [Value]? {
        var values: [Value] = []
        for slot in key.slots {
            if record.entity.slots[slot].relationship != nil {
                guard let target = record.target(at: slot), let value = reference(target) else { return nil }
                values.append(value)
            } else {
                // What a request does not say must not lead it to an object that it could then change.
                let fallback = record.isTrusted ? record.entity.attribute(slot)?.defaultValue : nil
                guard let value = record.value(at: slot) ?? fallback, !value.isNull else { return nil }
                values.append(value.normalized)
            }
        }
        return values
    }

    private func values(of members: [GraphTarget.KeyMember]) -> [Value]? {
        var values: [Value] = []
        for member in members {
            switch member {
            case .value(let value): values.append(value)
            case .target(let target):
                guard let value = reference(target) else { return nil }
                values.append(value)
            }
        }
        return values
    }

    /// Returns the reference of a target. New objects have no key yet; theirs are below all temporary ones.
    private func reference(_ target: GraphTarget) -> Value? {
        guard let handle = resolve(target), isOfNamedEntity(handle, target) else { return nil }
        return switch handle {
        case .object(let object): .reference(ObjectReference(key: object.key, entity: ""))
        case .record(let index): .reference(ObjectReference(key: .min + Int64(index), entity: ""))
        }
    }

    /// Refuses changes of objects of subentities that no key path permits.
    private func refuseSubentities() throws(GraphError) {
        for (index, record) in records.enumerated() where !record.allowsSubentities {
            let entity = entity(of: handle(of: index))
            guard entity !== record.entity else { continue }
            throw GraphError(
                .notInKeyPaths,
                "The object with this natural key is \(entity.name.article) \(entity.name), and the key paths of the "
                    + "import do not permit subentities of \(record.entity.name) here. Add the key path '@entity' "
                    + "(in a relationship author, 'author.@entity'), or remove the object from the document.",
                at: record.place, entity: record.entity)
        }
    }

    // MARK: What is there

    private mutating func lookUp(_ wanted: [NaturalKeyValue: [Value]], _ entity: Int) throws {
        let layout = context.layouts[entity]
        guard let key = keys.finding(layout) else { return }
        let unsaved = pending[entity] ?? unsavedObjects(layout, key)
        pending[entity] = unsaved
        var raw: [[Value]] = []
        for (found, values) in wanted {
            if let object = unsaved[found] {
                try note(object, found, entity)
            } else if !values.contains(where: \.isOfNewObject) {
                raw.append(values)
            }
        }
        let selection = context.store.layouts.selection(of: layout)
        for start in stride(from: 0, to: raw.count, by: KeyStatement.limit) {
            let part = Array(raw[start..<min(start + KeyStatement.limit, raw.count)])
            let statement = try KeyStatement(key, part, layout, selection)
            var registration = Registration(context, selection, of: layout, expecting: part.count)
            try context.withConnection { connection in
                _ = try registration.register(
                    connection.query(
                        statement.sql, statement.parameters, about: .init(.select, layout.table.subject)))
            }
            registration.makeCohort()
            registration.awaken()
            for object in registration.objects where !object._flags.contains(.deleted) {
                // What the context has changed meanwhile has another key now.
                guard let found = NaturalKeyValue(of: object, key), wanted[found] != nil else { continue }
                try note(object, found, entity)
            }
        }
    }

    private func unsavedObjects(
        _ layout: EntityLayout, _ key: NaturalKeys.Key
    ) -> [NaturalKeyValue: ManagedObject] {
        var found: [NaturalKeyValue: ManagedObject] = [:]
        for object in context.insertedObjects + context.updatedObjects
        where layout.family.contains(object.layout.index) {
            if let key = NaturalKeyValue(of: object, key) { found[key] = object }
        }
        return found
    }

    private mutating func note(_ object: ManagedObject, _ key: NaturalKeyValue, _ entity: Int) throws {
        guard case .record(let index)? = known[entity]?[key] else {
            known[entity, default: [:]][key] = .object(object)
            return
        }
        guard entities[index].family.contains(object.layout.index) else {
            throw GraphError(
                .invalidEntity,
                "An object with this natural key exists, but it is \(object.layout.name.article) \(object.layout.name) and not \(entities[index].name.article) \(entities[index].name). Correct the key or the entity in the document.",
                at: records[index].place, entity: entities[index])
        }
        existing[index] = object
    }
}

extension Value {
    fileprivate var isOfNewObject: Bool {
        if case .reference(let reference) = self { reference.key < 0 } else { false }
    }
}
