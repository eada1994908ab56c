import Foundation
import HowdahModel

extension ManagedObjectIdentity {
    /// The name of the object's entity.
    @_disfavoredOverload public var entityName: String { layout.name }

    /// Returns the value of a property by name, or of a key path across to-one relationships and into
    /// composites.
    ///
    /// - Attributes: `Bool`, `Int64`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `UUID` or
    ///   `URL`.
    /// - Transformable attributes: the result of their ``AttributeTransformer`` for the `Data`.
    /// - Composite attributes: `[String: Any]`.
    /// - To-one relationships: the object.
    /// - To-many relationships and fetched properties: an array.
    ///
    /// The call may fire a fault, as the typed property would, or fetch; see ``fetchedObjects(forKey:as:)``.
    ///
    /// If the entity has no such name, the result is nil and the context fails, as with a fault that cannot
    /// be filled. The next fetch, save or end of `perform` then throws. ``get(_:)`` throws at once.
    ///
    /// Source: Core Data's `value(forKey:)` and `value(forKeyPath:)`.
    public func value(forKey key: String) -> Any? {
        orFail { try value(forPath: key.pathNames[...]) } ?? nil
    }

    /// Sets a property by name, or by a dotted path an element of a composite or a property of a to-one's
    /// destination.
    ///
    /// If the to-one relationship has no destination, nothing happens. You can give a number in every integer
    /// and floating-point type that holds it exactly.
    ///
    /// If the attribute cannot hold the value, or the entity has no such name, nothing changes and the
    /// context fails. The next fetch, save or end of `perform` then throws. ``set(_:to:)`` throws at once.
    ///
    /// Source: Core Data's `setValue(_:forKey:)`.
    public func setValue(_ value: Any?, forKey key: String) { orFail { try put(value, at: key) } }

    /// Returns a value as ``value(forKey:)`` and ``value(forKeyPath:)`` do, for names from outside the
    /// program.
    ///
    /// - Throws: `FetchError` with `invalidRequest` if the entity has no such property.
    public func get(_ keyPath: String) throws -> Any? {
        try checkKeyPath(keyPath)
        return try value(forPath: keyPath.pathNames[...])
    }

    /// Sets a value as ``setValue(_:forKey:)`` and ``setValue(_:forKeyPath:)`` do, for names and values from
    /// outside the program.
    ///
    /// - Throws: `FetchError` with `invalidRequest` if the entity has no such property, or if it cannot hold
    ///   the value; `objectNotFound` if a save, a merge or another session removed the object.
    public func set(_ keyPath: String, to value: Any?) throws {
        if resolved._flags.contains(.detached) { throw resolved.detachedError("changed") }
        try put(value, atPath: keyPath)
    }

    /// The value of a property by name; the subscript form of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// Returns the members of a to-many relationship by name, as the typed property does.
    ///
    /// If the name is not that of a to-many relationship, the collection is empty and the context fails.
    public func members(forKey key: String) -> ToMany<ManagedObject> {
        ToMany(self, orFail { try toManySlot(key, isOrdered: false) } ?? ManagedObject.noSlot)
    }

    /// Returns the members of an ordered to-many relationship by name, as the typed property does.
    ///
    /// If the name is not that of an ordered to-many relationship, the collection is empty and the context
    /// fails.
    public func orderedMembers(forKey key: String) -> OrderedToMany<ManagedObject> {
        OrderedToMany(self, orFail { try toManySlot(key, isOrdered: true) } ?? ManagedObject.noSlot)
    }
}

extension ManagedObject {
    /// Runs `body` for an accessor that cannot throw. If it throws, the context fails and the result is nil.
    @discardableResult
    final func orFail<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            (owner ?? changes?.formerOwner)?.fail(error)
            return nil
        }
    }

    fileprivate final func wrong(_ message: String) -> FetchError { FetchError(.invalidRequest, message) }

    final func put(_ value: Any?, at key: String) throws {
        if _flags.contains(.forwarding) { return try resolved.put(value, at: key) }
        let path = key.pathNames
        guard let first = path.first, let slot = layout.slotsByName[first] else {
            guard path.first.flatMap({ layout.fetchedProperties[$0] }) == nil else {
                throw wrong(
                    "\(layout.name).\(key) is a fetched property and cannot be set. Change the objects that its "
                        + "request finds."
                )
            }
            throw wrong("\(layout.name) has no property named '\(key)'. \(remedy(for: path.first ?? ""))")
        }
        let rest = path.dropFirst()
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            if attribute.isDerived {
                throw wrong(
                    "\(layout.name).\(key) is derived and cannot be set. Set the properties that it is derived from."
                )
            }
            _willRead()
            let old = _value(at: slot)
            guard let given = ValueCoding.value(value, for: attribute, path: rest, in: old) else {
                throw wrong(
                    "\(layout.name).\(key) cannot hold "
                        + "\(ValueCoding.misfit(value, attribute.type, rest) ?? typeName(of: value)). Give it a "
                        + "value of the type \(ValueCoding.wantedName(attribute.type, rest)).")
            }
            guard ownerToChange() != nil else { return }
            // A field that is not optional refuses nil. It must not count as set then, or a new object would be saved with
            // a zero value.
            if given.isNull {
                guard _assign(.null, at: slot) else {
                    throw wrong(
                        "\(layout.name).\(key) cannot hold nil. Give it a value of the type "
                            + "\(ValueCoding.wantedName(attribute.type, rest)).")
                }
                _ = _assign(old, at: slot)
            }
            _willWrite(slot)
            guard _assign(given.normalized, at: slot) else {
                throw wrong(
                    "\(layout.name).\(key) cannot hold \(typeName(of: value)). Give it a value of the type "
                        + "\(ValueCoding.wantedName(attribute.type, rest))."
                )
            }
        case .toOne where !rest.isEmpty:
            try destination(slot)?.put(value, at: rest.joined(separator: "."))
        case .toOne:
            guard value == nil || value is ManagedObject else {
                throw wrong(
                    "\(layout.name).\(key) is a relationship. Give it an object of this context, or nil.")
            }
            if let destination = value as? ManagedObject {
                try checkMember(destination, of: layout.relationship(slot))
            }
            _setDestination(value as? ManagedObject, slot)
        case .toMany:
            guard rest.isEmpty, let members = value as? [ManagedObject] else {
                throw wrong("\(layout.name).\(key) is a to-many relationship. Give it an array of objects.")
            }
            for member in members { try checkMember(member, of: layout.relationship(slot)) }
            if layout.relationship(slot).isOrdered {
                replaceMembers(slot, with: members)
            } else {
                ToMany<ManagedObject>(self, slot).replace(with: members)
            }
        }
    }

    /// The slot of a relationship that does not exist: it has no members and accepts none.
    static let noSlot = -1

    fileprivate final func toManySlot(_ key: String, isOrdered: Bool) throws -> Int {
        guard let slot = layout.slotsByName[key], case .toMany(let relationship) = layout.slots[slot].kind,
            relationship.isOrdered || !isOrdered
        else {
            throw wrong(
                "\(layout.name) has no \(isOrdered ? "ordered " : "")to-many relationship named '\(key)'. "
                    + "\(remedy(for: key))"
            )
        }
        return slot
    }

    /// Returns the value of a Transformable attribute's bytes. If the transformer refuses them, the result is
    /// nil and the unit of work fails.
    fileprivate final func transformed(
        _ data: Foundation.Data, by transformer: AttributeTransformer, _ attribute: AttributeLayout
    ) -> Any? {
        do {
            return try transformer.value(data)
        } catch {
            let refusal = FetchError.untransformable(
                "\(layout.name).\(attribute.description.name)", transformer.name, error)
            owner?.fail(FetchError.located(refusal, at: self))
            return nil
        }
    }

    fileprivate final func typeName(of value: Any?) -> String { value.map { "\(type(of: $0))" } ?? "nil" }

    /// Checks that a path continues only into composites that have its elements.
    fileprivate final func checkPath(_ path: ArraySlice<String>, into type: AttributeType) throws {
        guard let name = path.first else { return }
        guard let element = type.composite?.elements.first(where: { $0.name == name }) else {
            throw wrong("\(layout.name) has no property with an element '\(name)'. Correct the key path.")
        }
        try checkPath(path.dropFirst(), into: element.type)
    }

    fileprivate final var propertyNames: String { layout.slots.map(\.name).joined(separator: ", ") }

    /// Returns a suggestion: the nearest name to an unknown one, or all names of the entity.
    fileprivate final func remedy(for name: String) -> String {
        let names = layout.slots.map(\.name) + layout.fetchedProperties.keys
        return NearestName.of(name, among: names).map { "Did you mean '\($0)'?" }
            ?? "Choose one of its properties: \(propertyNames)."
    }

    final func value(forPath path: ArraySlice<String>) throws -> Any? {
        if _flags.contains(.forwarding) { return try resolved.value(forPath: path) }
        if let property = path.first.flatMap({ layout.fetchedProperties[$0] }) {
            let target = layout.directory.index(ofEntity: property.description.fetchRequest.entityName)
            return try value(of: fetched(property), entity: target, forPath: path.dropFirst())
        }
        guard let first = path.first, let slot = layout.slotsByName[first] else {
            throw wrong(
                "\(layout.name) has no property named '\(path.joined(separator: "."))'. "
                    + remedy(for: path.first ?? ""))
        }
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            if let (operation, place) = elementOperator(path.dropFirst()) {
                _willRead(slot)
                let array = ValueCoding.any(_value(at: slot), of: attribute.type, path: place) as? [Any]
                return array.flatMap { operation.result(of: $0, as: attribute.type.element) }
            }
            try checkPath(path.dropFirst(), into: attribute.type)
            _willRead(slot)
            let value = _value(at: slot)
            if let transformer = attribute.transformer, case .data(let data) = value {
                return transformed(data, by: transformer, attribute)
            }
            return ValueCoding.any(value, of: attribute.type, path: path.dropFirst())
        case .toOne:
            let destination = destination(slot)
            return path.count == 1 ? destination : try destination?.value(forPath: path.dropFirst())
        case .toMany(let relationship):
            if path.dropFirst() == [CollectionOperator.count.rawValue] { return Int64(countOfMembers(slot)) }
            return try value(of: membersOf(slot), entity: relationship.destination, forPath: path.dropFirst())
        }
    }

    /// Returns the operator after an array of scalars, and the path to that array.
    fileprivate final func elementOperator(
        _ path: ArraySlice<String>
    ) -> (CollectionOperator, place: ArraySlice<String>)? {
        guard let place = path.firstIndex(where: { $0.hasPrefix("@") }),
            let operation = CollectionOperator(rawValue: path[place]),
            path[(place + 1)...].allSatisfy({ $0 == "self" })
        else { return nil }
        return (operation, path[..<place])
    }
}
