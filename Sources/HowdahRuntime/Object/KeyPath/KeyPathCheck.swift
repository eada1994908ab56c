import HowdahModel

/// Checks a dotted key path against the model before it is followed, so that a wrong one is found with any
/// data.
struct KeyPathCheck {
    /// The end of a path.
    enum End {
        case attribute(AttributeType)
        case object
        case collection
    }

    private let layouts: [EntityLayout]
    private let path: String

    /// - Throws: `FetchError.invalidRequest` with the path, its fault, and the nearest name.
    @discardableResult
    static func check(_ path: String, from layout: EntityLayout, in layouts: [EntityLayout]) throws -> End {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return try KeyPathCheck(layouts: layouts, path: path).end(of: names[...], from: [layout.index])
    }

    /// Returns the type of the attribute at the end of a path from objects of some entities; nil if it is not
    /// one.
    static func type(
        of path: ArraySlice<String>, from entities: [Int], in layouts: [EntityLayout]
    ) -> AttributeType? {
        let check = KeyPathCheck(layouts: layouts, path: path.joined(separator: "."))
        guard case .attribute(let type)? = try? check.end(of: path, from: entities) else { return nil }
        return type
    }

    /// - Parameter entities: The possible entities of the object at this place; messages name the first.
    private func end(of names: ArraySlice<String>, from entities: [Int]) throws -> End {
        let name = names.first ?? ""
        let owner = layouts[entities[0]]
        if CollectionOperator(rawValue: name) != nil {
            throw wrong(
                "\(name) needs a collection, and \(owner.name) is one object. Write \(name) after a to-many "
                    + "relationship"
            )
        }
        let rest = names.dropFirst()
        for entity in entities {
            if let property = layouts[entity].fetchedProperties[name] {
                let target = layouts[entity].directory.index(
                    ofEntity: property.description.fetchRequest.entityName)
                return try member(rest, of: target.map { layouts[$0].family } ?? [entity])
            }
            guard let slot = layouts[entity].slotsByName[name] else { continue }
            switch layouts[entity].slots[slot].kind {
            case .attribute(let attribute): return try end(of: rest, in: attribute.type, name)
            case .toOne(let relationship):
                let family = layouts[relationship.destination].family
                return rest.isEmpty ? .object : try end(of: rest, from: family)
            case .toMany(let relationship):
                return try member(rest, of: layouts[relationship.destination].family)
            }
        }
        let known = entities.flatMap { layouts[$0].slots.map(\.name) + layouts[$0].fetchedProperties.keys }
        throw wrong("\(owner.name) has no property '\(name)'", hint(name, known))
    }

    /// Continues after a collection.
    private func member(_ names: ArraySlice<String>, of entities: [Int]) throws -> End {
        guard let name = names.first else { return .collection }
        guard name.hasPrefix("@") else {
            _ = try end(of: names, from: entities)
            return .collection
        }
        let rest = names.dropFirst()
        let operation = try operation(name)
        if operation == .count {
            guard rest.isEmpty else { throw wrong(Self.afterCount) }
            return .attribute(.integer64)
        }
        guard !rest.isEmpty else {
            throw wrong("\(name) has no key path after it. Add the name of an attribute")
        }
        let end = rest == ["self"] ? End.object : try end(of: rest, from: entities)
        return try self.end(of: operation, over: end)
    }

    private func end(of operation: CollectionOperator, over end: End) throws -> End {
        let name = operation.rawValue
        switch (operation, end) {
        case (.unionOfObjects, _), (.distinctUnionOfObjects, _): return .collection
        case (_, .collection) where operation.joinsCollections: return .collection
        case (_, .attribute(let type)) where operation.joinsCollections && type.element != nil:
            return .collection
        case (_, _) where operation.joinsCollections:
            throw wrong(
                "\(name) joins collections, and the key path after it does not end at a collection. Name a to-many "
                    + "relationship or an array after \(name)"
            )
        case (_, .attribute(let type)):
            guard !operation.isArithmetic || type.isNumber else {
                throw wrong("\(name) needs numbers. Name an attribute with numbers after \(name)")
            }
            guard type.isOrdered else {
                throw wrong(
                    "\(name) needs values with an order. Name an attribute with numbers, strings or dates")
            }
            return .attribute(type)
        case (_, .object), (_, .collection):
            throw wrong("\(name) needs one attribute of each member. Add the name of an attribute")
        }
    }

    /// Continues into an attribute.
    private func end(of names: ArraySlice<String>, in type: AttributeType, _ owner: String) throws -> End {
        guard let name = names.first else { return .attribute(type) }
        let rest = names.dropFirst()
        if case .composite(let description) = type.kind {
            guard let element = description.elements.first(where: { $0.name == name }) else {
                throw wrong("\(owner) has no element '\(name)'", hint(name, description.elements.map(\.name)))
            }
            return try end(of: rest, in: element.type, name)
        }
        guard let element = type.element, name.hasPrefix("@") else {
            throw wrong(
                "'\(owner)' is an attribute, and nothing can follow it. Remove the keys after '\(owner)'")
        }
        let operation = try operation(name)
        if operation == .count, rest.isEmpty { return .attribute(.integer64) }
        guard rest == ["self"], operation != .count else {
            throw wrong(
                operation == .count
                    ? Self.afterCount : "\(name) of an array needs 'self' after it. Write \(name).self")
        }
        return try end(of: operation, over: .attribute(element))
    }

    private func operation(_ name: String) throws -> CollectionOperator {
        if let operation = CollectionOperator(rawValue: name) { return operation }
        throw wrong("\(name) is not an operator", hint(name, CollectionOperator.allCases.map(\.rawValue)))
    }

    private static let afterCount = "nothing can follow @count. Remove the keys after @count"
    private func hint(_ name: String, _ names: [String]) -> String {
        NearestName.of(name, among: names).map { ". Did you mean '\($0)'?" } ?? ". Correct the name."
    }

    private func wrong(_ what: String, _ hint: String = ".") -> FetchError {
        FetchError(.invalidRequest, "The key path '\(path)' cannot be followed: \(what)\(hint)")
    }
}

extension AttributeType {
    fileprivate var isNumber: Bool {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .undefined: true
        default: false
        }
    }

    fileprivate var isOrdered: Bool {
        switch kind {
        case .composite, .array, .transformable: false
        default: true
        }
    }
}
