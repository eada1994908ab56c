import HowdahModel
import HowdahRuntime

/// Applies matched records to the context: inserts, sets values, links.
///
/// All faults that the document alone can have were found before the first change.
struct GraphApplication {
    let context: ManagedObjectContext
    let matching: GraphMatching
    /// The groups of records that must wait.
    let waiting: Set<Int>
    /// A Boolean value that indicates whether links to missing objects are postponed; if not, they are an
    /// error.
    let mayPostpone: Bool
    /// The objects of the records that are the first with their key.
    private(set) var objects: [ManagedObject?]
    private(set) var postponed: [Postponed] = []
    private(set) var insertedCount = 0
    private var changed: Set<Int> = []
    private var links: [ResolvedLink] = []

    /// A link that waits for its destinations.
    struct Postponed {
        let owner: ManagedObject
        let link: GraphRecord.Link
    }

    struct ResolvedLink {
        let owner: Int
        let slot: Int
        let place: GraphPlace
        let handles: [GraphMatching.Handle]
    }

    init(
        _ context: ManagedObjectContext, _ matching: GraphMatching, waiting: Set<Int> = [],
        mayPostpone: Bool = false
    ) {
        self.context = context
        self.matching = matching
        self.waiting = waiting
        self.mayPostpone = mayPostpone
        objects = matching.existing
    }

    /// The number of existing objects that have changed.
    var updatedCount: Int { changed.count { matching.existing[$0] != nil } }

    /// Returns those of some objects that existed and have not changed.
    func skipped(among owners: [ManagedObject]) -> Set<ObjectIdentifier> {
        if owners.isEmpty { return [] }
        let unchanged = matching.existing.enumerated().filter {
            matching.canonical[$0.offset] == $0.offset && !changed.contains($0.offset)
        }
        return Set(owners.map(ObjectIdentifier.init)).intersection(
            unchanged.compactMap { $0.element.map(ObjectIdentifier.init) })
    }

    mutating func run() throws {
        let present = matching.records.indices.filter { !waiting.contains(matching.records[$0].group) }
        let postponedLinks = try resolve(present)
        try GraphContradictions(links, matching).check(context.layouts)
        for index in present where matching.canonical[index] == index && objects[index] == nil {
            let entity = matching.entities[index]
            guard !entity.isAbstract else {
                throw GraphError(
                    .invalidEntity, "The entity is abstract. Name one of its subentities with \"@entity\".",
                    at: matching.records[index].place, entity: entity)
            }
        }
        try checkRepeated(present)
        for index in present where matching.canonical[index] == index && objects[index] == nil {
            objects[index] = context.insert(matching.entities[index].name)
            insertedCount += 1
        }
        try setValues(present)
        try link()
        try context.throwFailure()
        try checkRequired(present, Set(postponedLinks.map { matching.canonical[$0.owner] }))
        for (owner, link) in postponedLinks {
            if let object = objects[matching.canonical[owner]] {
                postponed.append(Postponed(owner: object, link: link))
            }
        }
    }

    /// Returns the object of a record.
    func object(_ index: Int) -> ManagedObject? { objects[matching.canonical[index]] }

    // MARK: Before the first change

    private mutating func resolve(_ present: [Int]) throws -> [(owner: Int, link: GraphRecord.Link)] {
        var postponed: [(owner: Int, link: GraphRecord.Link)] = []
        var seen: [Int: [Int: [Value]]] = [:]
        for index in present {
            let record = matching.records[index]
            for link in record.links {
                let relationship = record.entity.relationship(link.slot)
                var handles: [GraphMatching.Handle] = []
                for (position, target) in link.targets.enumerated() {
                    guard let handle = matching.resolve(target), !isWaiting(handle) else { continue }
                    let place = relationship.isToMany ? link.place.element(position) : link.place
                    try check(handle, target, relationship, record, at: place)
                    handles.append(handle)
                }
                guard handles.count == link.targets.count else {
                    guard mayPostpone else {
                        let missing = link.targets.firstIndex { matching.resolve($0).map(isWaiting) ?? true }
                        throw GraphError(
                            .unknownReference,
                            "The referenced object is neither in the document nor in the store. Add the "
                                + "object, or correct the reference.",
                            at: relationship.isToMany ? link.place.element(missing ?? 0) : link.place,
                            entity: record.entity, property: relationship.name)
                    }
                    postponed.append((index, link))
                    continue
                }
                let owner = matching.canonical[index]
                let identity = handles.map(\.identity)
                if let given = seen[owner]?[link.slot] {
                    if given == identity { continue }
                    throw GraphError(
                        .duplicateObject,
                        "The object occurs twice in the document, with different values. Make the values "
                            + "equal, or remove one of the two objects.",
                        at: link.place, entity: record.entity, property: relationship.name)
                }
                seen[owner, default: [:]][link.slot] = identity
                links.append(
                    ResolvedLink(owner: owner, slot: link.slot, place: link.place, handles: handles))
            }
        }
        return postponed
    }

    private func isWaiting(_ handle: GraphMatching.Handle) -> Bool {
        if case .record(let index) = handle { waiting.contains(matching.records[index].group) } else { false }
    }

    private func check(
        _ handle: GraphMatching.Handle, _ target: GraphTarget, _ relationship: RelationshipLayout,
        _ record: GraphRecord, at place: GraphPlace
    ) throws {
        let entity = matching.entity(of: handle)
        let destination = context.layouts[relationship.destination]
        guard destination.family.contains(entity.index) else {
            throw GraphError(
                .invalidEntity,
                "The reference is to \(entity.name.article) \(entity.name). Refer to "
                    + "\(destination.name.article) \(destination.name) instead.",
                at: place,
                entity: record.entity, property: relationship.name)
        }
        try matching.checkNamedEntity(
            handle, target, at: place, of: record.entity, property: relationship.name)
    }

    /// Checks that records of one object have the same values.
    private func checkRepeated(_ present: [Int]) throws {
        var given: [Int: [Int: Value]] = [:]
        let repeated = Set(present.filter { matching.canonical[$0] != $0 }.map { matching.canonical[$0] })
        for index in present where repeated.contains(matching.canonical[index]) {
            let (record, first) = (matching.records[index], matching.canonical[index])
            for (slot, value) in record.values {
                guard let attribute = record.entity.attribute(slot)?.description else { continue }
                if let other = given[first]?[slot], !value.isStoredLike(other, attribute) {
                    throw GraphError(
                        .duplicateObject,
                        "The object occurs twice in the document, with different values. Make the values "
                            + "equal, or remove one of the two objects.",
                        at: record.place, entity: record.entity, property: attribute.name)
                }
                given[first, default: [:]][slot] = value
            }
        }
    }

    // MARK: Changes

    private mutating func setValues(_ present: [Int]) throws {
        for index in present {
            let (record, first) = (matching.records[index], matching.canonical[index])
            guard let object = objects[first] else { continue }
            for (slot, value) in record.values {
                guard let attribute = record.entity.attribute(slot)?.description else { continue }
                // A new object's value counts as given even where it is the default; a second record gives it again.
                if !object._flags.contains(.inserted) || object.isWritten(slot),
                    object._value(at: slot).isStoredLike(value, attribute)
                {
                    continue
                }
                object._willRead()
                object._willWrite(slot)
                guard object._assign(value.normalized, at: slot) else {
                    throw GraphError(
                        .invalidValue,
                        "The property in the class \(type(of: object)) cannot hold this value. Its type may be an enum without "
                            + "such a case. Give a value of the property's type.",
                        at: record.place.member(attribute.name), entity: record.entity,
                        property: attribute.name)
                }
                changed.insert(first)
            }
        }
    }

    private func resolved(_ handle: GraphMatching.Handle) -> ManagedObject? {
        switch handle {
        case .object(let object): object
        case .record(let index): objects[index]
        }
    }

    private mutating func link() throws {
        try load()
        for link in links {
            guard let owner = objects[link.owner] else { continue }
            let members = link.handles.compactMap(resolved)
            if LinkChange(owner, link.slot, members).toOne() { changed.insert(link.owner) }
        }
        // Lists last: setting the other side appends to them.
        for isOrdered in [false, true] {
            for link in links {
                guard let owner = objects[link.owner] else { continue }
                let change = LinkChange(owner, link.slot, link.handles.compactMap(resolved))
                if change.toMany(ordered: isOrdered) { changed.insert(link.owner) }
            }
        }
    }

    /// Loads the present links of existing objects, with a statement for each relationship and 1,000 owners.
    private func load() throws {
        var owners: [Int: [Int: [ManagedObject]]] = [:]
        for link in links {
            guard let owner = matching.existing[link.owner] else { continue }
            owners[owner.layout.index, default: [:]][link.slot, default: []].append(owner)
        }
        for (entity, slots) in owners {
            for (slot, owners) in slots {
                try LinkChange.load(owners, context.layouts[entity].relationship(slot), context)
            }
        }
    }

    private func checkRequired(_ present: [Int], _ postponed: Set<Int>) throws {
        for index in present where matching.canonical[index] == index && matching.existing[index] == nil {
            guard let object = objects[index] else { continue }
            for (slot, property) in object.layout.slots.enumerated() {
                let isMissing =
                    switch property.kind {
                    case .attribute(let attribute):
                        !attribute.isOptional && !attribute.isDerived && !property.columns.isEmpty
                            && (object._value(at: slot).isNull
                                || attribute.defaultValue == nil && !object.isWritten(slot))
                    case .toOne(let relationship):
                        if case .foreignKey = relationship.storage, !relationship.isOptional {
                            object._toOneField(at: slot).isNone
                        } else {
                            false
                        }
                    case .toMany: false
                    }
                guard isMissing else { continue }
                throw GraphError(
                    .missingValue, "The property is required. Give a value.",
                    at: matching.records[index].place,
                    entity: object.layout, property: property.name)
            }
        }
    }
}

extension GraphMatching.Handle {
    var identity: Value {
        switch self {
        case .object(let object): .reference(ObjectReference(key: object.key, entity: ""))
        case .record(let index): .reference(ObjectReference(key: .min + Int64(index), entity: ""))
        }
    }
}
