import HowdahModel
import HowdahRuntime

/// Converts JSON to records by the model alone, without a query.
struct GraphReading {
    let layouts: StoreLayout
    let keys: NaturalKeys
    let maximumObjects: Int
    private(set) var records: [GraphRecord] = []

    init(_ layouts: StoreLayout, _ keys: NaturalKeys, maximumObjects: Int = .max) {
        self.layouts = layouts
        self.keys = keys
        self.maximumObjects = maximumObjects
    }

    private static let idName = "@id"
    private static let referenceName = "@ref"

    /// Adds the record of an object, and those nested in it; returns its position.
    ///
    /// - Parameters:
    ///   - entity: Its entity if it does not name one.
    ///   - tree: The permitted properties; nil for all.
    @discardableResult
    mutating func add(
        _ json: JSONValue, _ entity: EntityLayout?, at place: GraphPlace, group: Int,
        within tree: GraphTree? = nil
    ) throws(GraphError) -> Int {
        try add(json, entity, at: place, group: group, inverse: nil, within: tree)
    }

    private mutating func add(
        _ json: JSONValue, _ expected: EntityLayout?, at place: GraphPlace, group: Int,
        inverse: GraphRecord.Link?, within tree: GraphTree?
    ) throws(GraphError) -> Int {
        guard let members = json.members else {
            throw GraphError(
                .invalidJSON, "The value is \(json.kindName). Give a JSON object.", at: place,
                entity: expected)
        }
        try checkNames(of: json, at: place, expected)
        let named = members.first { $0.name == GraphTree.entityName }
        guard let entity = try entity(named, expected, at: place) else {
            throw GraphError(
                .invalidEntity, "The object has no entity. Name the entity with \"@entity\".", at: place)
        }
        if let expected, named != nil { try checkPermission(entity, expected, at: place, within: tree) }
        guard records.count < maximumObjects else {
            throw GraphError(
                .tooLarge,
                "The document has more than \(maximumObjects) objects. Split the document, and "
                    + "import the pieces one by one.",
                at: place)
        }
        let index = records.count
        records.append(
            GraphRecord(
                place: place, group: group, entity: entity, isEntityNamed: named != nil,
                isTrusted: tree == nil, allowsSubentities: tree?.hasEntities ?? true))
        for member in members {
            let inside = place.member(member.name)
            switch member.name {
            case GraphTree.entityName: break
            case Self.idName:
                guard let id = member.value.text, !id.isEmpty, id.utf8.count <= 1_000 else {
                    throw GraphError(
                        .invalidJSON, "The \"@id\" is invalid. Give a string of 1 to 1000 bytes.", at: inside,
                        entity: entity)
                }
                records[index].id = id
            case Self.referenceName:
                throw GraphError(
                    .invalidJSON,
                    "\"@ref\" is allowed only in the destination of a relationship, with at most \"@entity\". "
                        + "Remove \"@ref\", or move it to a relationship.",
                    at: inside, entity: entity)
            default: try add(member, to: index, at: inside, within: tree)
            }
        }
        // What it is nested in is its other side, also where its key has that in it.
        if let inverse, !records[index].links.contains(where: { $0.slot == inverse.slot }) {
            records[index].links.append(inverse)
        }
        return index
    }

    private func entity(
        _ named: JSONValue.Member?, _ expected: EntityLayout?, at place: GraphPlace
    ) throws(GraphError) -> EntityLayout? {
        guard let named else { return expected }
        let inside = place.member(named.name)
        guard let name = named.value.text, let entity = layouts.layout(named: name) else {
            throw GraphError(
                .invalidEntity, "The model has no such entity. Name one of \(layouts.names).", at: inside)
        }
        guard expected?.family.contains(entity.index) ?? true else {
            throw GraphError(
                .invalidEntity,
                "An object of \(entity.name) is not allowed here. Give an object of \(expected?.name ?? "").",
                at: inside,
                entity: expected)
        }
        return entity
    }

    /// - Throws: `GraphError.notInKeyPaths` for a subentity that no key path permits.
    private func checkPermission(
        _ entity: EntityLayout, _ expected: EntityLayout, at place: GraphPlace, within tree: GraphTree?
    ) throws(GraphError) {
        guard let tree, entity !== expected, !tree.hasEntities else { return }
        let message =
            expected.isAbstract
            ? "\(expected.name) is abstract, and the key paths of the import do not permit \"@entity\" here. Add the key "
                + "path '@entity', or 'author.@entity' in a relationship author."
            : "The entity has to be \(expected.name). Leave \"@entity\" out."
        throw GraphError(.notInKeyPaths, message, at: place.member(GraphTree.entityName), entity: expected)
    }

    /// - Throws: `GraphError.invalidJSON` if two members have one name in different spellings of Unicode.
    private func checkNames(
        of json: JSONValue, at place: GraphPlace, _ entity: EntityLayout?
    ) throws(GraphError) {
        guard let name = json.repeatedName else { return }
        throw GraphError(
            .invalidJSON, JSONValue.repetitionOfName, at: place.member(name), entity: entity)
    }

    private mutating func add(
        _ member: JSONValue.Member, to index: Int, at place: GraphPlace, within tree: GraphTree?
    ) throws(GraphError) {
        let entity = records[index].entity
        guard let slot = entity.slotsByName[member.name] else {
            let names = entity.slots.map(\.name)
            let hint =
                NearestName.of(member.name, among: names).map { "Did you mean \($0)?" }
                ?? "Leave the property out, or correct the name."
            throw GraphError(
                .unknownProperty, "The entity has no such property. \(hint)", at: place, entity: entity,
                property: member.name)
        }
        let isNamed = tree.map { $0.names(member.name, isAttribute: entity.attribute(slot) != nil) } ?? true
        guard isNamed else {
            throw GraphError(
                .notInKeyPaths,
                "No key path of the import names this property. Leave the property out, or "
                    + "add a key path.", at: place,
                entity: entity,
                property: member.name)
        }
        let inner = tree.map { $0.children[member.name] ?? GraphTree(isForImport: true) }
        switch entity.slots[slot].kind {
        case .attribute(let attribute):
            // What the store computes may be read back from an answer to a client; it is not taken over.
            if attribute.isDerived { return }
            guard !entity.slots[slot].columns.isEmpty else {
                throw GraphError(
                    .unknownProperty, "The attribute is not stored. Leave the attribute out.", at: place,
                    entity: entity,
                    property: member.name)
            }
            let value = try value(of: member.value, attribute, entity, at: place)
            records[index].values.append((slot, value))
        case .toOne(let relationship):
            var targets: [GraphTarget] = []
            if case .null = member.value {
                guard relationship.isOptional else {
                    throw GraphError(
                        .missingValue, "The relationship is required. Name an object.", at: place,
                        entity: entity,
                        property: member.name)
                }
            } else {
                targets = [try target(member.value, relationship, of: index, at: place, within: inner)]
            }
            records[index].links.append(.init(slot: slot, place: place, targets: targets))
        case .toMany(let relationship):
            guard case .array(let elements) = member.value else {
                throw GraphError(
                    .invalidJSON, "The value is \(member.value.kindName). Give an array of objects.",
                    at: place,
                    entity: entity, property: member.name)
            }
            var targets: [GraphTarget] = []
            targets.reserveCapacity(elements.count)
            for (position, element) in elements.enumerated() {
                targets.append(
                    try target(element, relationship, of: index, at: place.element(position), within: inner))
            }
            records[index].links.append(.init(slot: slot, place: place, targets: targets))
        }
    }

    func value(
        of json: JSONValue, _ attribute: AttributeLayout, _ entity: EntityLayout, at place: GraphPlace
    ) throws(GraphError) -> Value {
        let name = attribute.description.name
        let value: Value
        do throws(JSONValue.Misfit) {
            value = try json.value(of: attribute.description)
        } catch {
            throw GraphError(
                .invalidValue, error.message, at: place.adding(error.path), entity: entity, property: name)
        }
        let collapsed = value.collapsed
        if collapsed.isNull {
            guard attribute.isOptional else {
                throw GraphError(
                    .missingValue, "The property is required. Give a value.", at: place, entity: entity,
                    property: name)
            }
            return .null
        }
        if let broken = attribute.rules?.broken(by: collapsed).first {
            throw GraphError(
                .invalidValue, "\(broken.path) \(broken.message)", at: place, entity: entity, property: name)
        }
        return collapsed
    }

    // MARK: Destinations

    private mutating func target(
        _ json: JSONValue, _ relationship: RelationshipLayout, of owner: Int, at place: GraphPlace,
        within tree: GraphTree?
    ) throws(GraphError) -> GraphTarget {
        let destination = layouts.entities[relationship.destination]
        if let reference = json.members?.first(where: { $0.name == Self.referenceName }) {
            return try self.reference(json, reference.value, destination, at: place, within: tree)
        }
        if let tree, tree.isEmpty {
            throw GraphError(
                .notInKeyPaths, "The import accepts only a reference here, and no properties. Give \"@ref\".",
                at: place,
                entity: destination)
        }
        var inverse: GraphRecord.Link?
        if let slot = relationship.inverse, !relationship.inverseIsToMany, !relationship.isSelfInverse {
            inverse = .init(slot: slot, place: place, targets: [.record(owner)])
        }
        let group = records[owner].group
        return .record(
            try add(json, destination, at: place, group: group, inverse: inverse, within: tree))
    }

    /// Returns the target of a reference.
    ///
    /// - Parameter tree: The permitted properties at its place. If they permit subentities, its key may
    ///   contain some as well.
    private func reference(
        _ json: JSONValue, _ named: JSONValue, _ destination: EntityLayout, at place: GraphPlace,
        within tree: GraphTree?
    ) throws(GraphError) -> GraphTarget {
        try checkNames(of: json, at: place, destination)
        for member in json.members ?? []
        where ![Self.referenceName, GraphTree.entityName].contains(member.name) {
            throw GraphError(
                .invalidJSON, "A reference can have only \"@ref\" and \"@entity\". Leave this member out.",
                at: place.member(member.name), entity: destination)
        }
        let entityMember = json.members?.first { $0.name == GraphTree.entityName }
        let entity = try entity(entityMember, destination, at: place) ?? destination
        try checkPermission(entity, destination, at: place, within: tree)
        if let id = named.text { return .id(id, entity: entity.index) }
        let inside = place.member(Self.referenceName)
        guard let members = named.members else {
            throw GraphError(
                .invalidJSON,
                "The value is \(named.kindName). Give an \"@id\" of the document or a natural key.",
                at: inside, entity: destination)
        }
        try checkNames(of: named, at: inside, entity)
        guard let key = keys[entity] else {
            throw GraphError(
                .unknownReference,
                "\(entity.name) has no natural key, which is a uniqueness constraint of required members. "
                    + "Refer to an \"@id\".", at: inside, entity: entity)
        }
        var found: [GraphTarget.KeyMember] = []
        for slot in key.slots {
            let name = entity.slots[slot].name
            guard let member = members.first(where: { $0.name == name }), members.count == key.slots.count
            else {
                let names = key.slots.map { entity.slots[$0].name }.joined(separator: ", ")
                throw GraphError(
                    .unknownReference,
                    "The natural key of \(entity.name) is (\(names)). Name exactly these properties.",
                    at: inside, entity: entity)
            }
            let deeper = inside.member(name)
            switch entity.slots[slot].kind {
            case .attribute(let attribute):
                found.append(.value(try value(of: member.value, attribute, entity, at: deeper).normalized))
            case .toOne(let relationship), .toMany(let relationship):
                let next = layouts.entities[relationship.destination]
                guard let reference = member.value.members?.first(where: { $0.name == Self.referenceName })
                else {
                    throw GraphError(
                        .invalidJSON,
                        "The value is \(member.value.kindName). Give a reference: an object "
                            + "with \"@ref\".", at: deeper,
                        entity: entity, property: name)
                }
                found.append(
                    .target(try self.reference(member.value, reference.value, next, at: deeper, within: tree))
                )
            }
        }
        return .key(entity: entity.index, members: found)
    }
}
