import Foundation
import HowdahModel

extension ManagedObject {
    /// The name of the object's entity.
    public final var entityName: String { layout.name }

    /// The value of a property by name, or of a key path across to-one relationships and into composites.
    ///
    /// Attributes come as `Bool`, `Int64`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `UUID` or
    /// `URL`; Transformable ones as what their ``AttributeTransformer`` makes of the `Data`; composites as `[String: Any]`; to-one relationships as the object, to-many ones and fetched properties
    /// as an array. May fire a fault, as the typed property would, or fetch; see ``fetchedObjects(forKey:as:)``.
    ///
    /// Source: Core Data's `value(forKey:)` and `value(forKeyPath:)`.
    public final func value(forKey key: String) -> Any? {
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return value(forPath: path[...])
    }

    /// Sets a property by name; by a dotted path also a composite's member, or a property of a to-one
    /// relationship's destination, where nothing happens if there is none.
    ///
    /// Numbers are accepted in every integer and floating-point type that holds them exactly. A value that the
    /// attribute cannot hold, or a name the entity does not have, is a programming error and stops with an
    /// instruction; use a predicate or the model to check names that come from outside.
    ///
    /// Source: Core Data's `setValue(_:forKey:)`.
    public final func setValue(_ value: Any?, forKey key: String) {
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = path.first, let slot = layout.slotsByName[first] else {
            precondition(
                path.first.flatMap { layout.fetchedProperties[$0] } == nil,
                "\(layout.name).\(key) is a fetched property and cannot be set; change what its request finds"
            )
            preconditionFailure(
                "\(layout.name) has no property named '\(key)'; \(remedy(for: path.first ?? ""))")
        }
        let rest = path.dropFirst()
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            _willRead()
            let old = _value(at: slot)
            guard let given = ValueCoding.value(value, for: attribute, path: rest, in: old) else {
                preconditionFailure(
                    "\(layout.name).\(key) cannot hold \(ValueCoding.misfit(value, attribute.type, rest) ?? typeName(of: value)); "
                        + "give it a value of its attribute type")
            }
            _willWrite(slot)
            precondition(
                _assign(given.normalized, at: slot),
                "\(layout.name).\(key) cannot hold \(typeName(of: value)); give it a value of its attribute type"
            )
        case .toOne where !rest.isEmpty:
            destination(slot)?.setValue(value, forKey: rest.joined(separator: "."))
        case .toOne:
            precondition(
                value == nil || value is ManagedObject,
                "\(layout.name).\(key) is a relationship; give it an object of this context, or nil")
            _setDestination(value as? ManagedObject, slot)
        case .toMany:
            guard rest.isEmpty, let members = value as? [ManagedObject] else {
                preconditionFailure(
                    "\(layout.name).\(key) is a to-many relationship; give it an array of objects")
            }
            if layout.relationship(slot).isOrdered {
                replaceMembers(slot, with: members)
            } else {
                ToMany<ManagedObject>(self, slot).replace(with: members)
            }
        }
    }

    /// The value of a property by name; the subscript form of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The members of a to-many relationship by name, as the typed property would give them.
    public final func members(forKey key: String) -> ToMany<ManagedObject> {
        guard let slot = layout.slotsByName[key], case .toMany = layout.slots[slot].kind else {
            preconditionFailure("\(layout.name) has no to-many relationship named '\(key)'; see its model")
        }
        return ToMany(self, slot)
    }

    /// The members of an ordered to-many relationship by name, as the typed property would give them.
    public final func orderedMembers(forKey key: String) -> OrderedToMany<ManagedObject> {
        guard let slot = layout.slotsByName[key], case .toMany(let relationship) = layout.slots[slot].kind,
            relationship.isOrdered
        else {
            preconditionFailure(
                "\(layout.name) has no ordered to-many relationship named '\(key)'; see its model")
        }
        return OrderedToMany(self, slot)
    }

    /// The value of a Transformable attribute's bytes; nil where the transformer refuses them, and the unit of work fails.
    private final func transformed(
        _ data: Foundation.Data, by transformer: AttributeTransformer, _ attribute: AttributeLayout
    ) -> Any? {
        do {
            return try transformer.value(data)
        } catch {
            let refusal = FetchError.untransformable(
                "\(layout.name).\(attribute.description.name)", transformer.name, error)
            if let context = managedObjectContext, context.failure == nil {
                context.failure = FetchError.located(refusal, at: self)
            }
            return nil
        }
    }

    private final func typeName(of value: Any?) -> String { value.map { "\(type(of: $0))" } ?? "nil" }

    /// A path goes on only where there is something to go into.
    private final func checkPath(_ path: ArraySlice<String>, into type: AttributeType) {
        guard let name = path.first else { return }
        guard let element = type.composite?.elements.first(where: { $0.name == name }) else {
            preconditionFailure(
                "\(layout.name) has no property with an element '\(name)'; correct the key path")
        }
        checkPath(path.dropFirst(), into: element.type)
    }

    private final var propertyNames: String { layout.slots.map(\.name).joined(separator: ", ") }

    /// The nearest name to one that the entity does not have, or all that it has.
    private final func remedy(for name: String) -> String {
        let names = layout.slots.map(\.name) + layout.fetchedProperties.keys
        return NearestName.of(name, among: names).map { "did you mean '\($0)'?" }
            ?? "its model names \(propertyNames)"
    }

    final func value(forPath path: ArraySlice<String>) -> Any? {
        if let property = path.first.flatMap({ layout.fetchedProperties[$0] }) {
            let target = layout.directory.index(ofEntity: property.description.fetchRequest.entityName)
            return value(of: fetched(property), entity: target, forPath: path.dropFirst())
        }
        guard let first = path.first, let slot = layout.slotsByName[first] else {
            preconditionFailure(
                "\(layout.name) has no property named '\(path.joined(separator: "."))'; "
                    + remedy(for: path.first ?? ""))
        }
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            if let (operation, place) = elementOperator(path.dropFirst()) {
                _willRead(slot)
                let array = ValueCoding.any(_value(at: slot), of: attribute.type, path: place) as? [Any]
                return array.flatMap { operation.result(of: $0, as: attribute.type.element) }
            }
            checkPath(path.dropFirst(), into: attribute.type)
            _willRead(slot)
            let value = _value(at: slot)
            if let transformer = attribute.transformer, case .data(let data) = value {
                return transformed(data, by: transformer, attribute)
            }
            return ValueCoding.any(value, of: attribute.type, path: path.dropFirst())
        case .toOne:
            let destination = destination(slot)
            return path.count == 1 ? destination : destination?.value(forPath: path.dropFirst())
        case .toMany(let relationship):
            if path.dropFirst() == [CollectionOperator.count.rawValue] { return Int64(countOfMembers(slot)) }
            return value(of: membersOf(slot), entity: relationship.destination, forPath: path.dropFirst())
        }
    }

    /// The operator behind an array of scalars, and the way to that array.
    private final func elementOperator(
        _ path: ArraySlice<String>
    ) -> (CollectionOperator, place: ArraySlice<String>)? {
        guard let place = path.firstIndex(where: { $0.hasPrefix("@") }),
            let operation = CollectionOperator(rawValue: path[place]),
            path[(place + 1)...].allSatisfy({ $0 == "self" })
        else { return nil }
        return (operation, path[..<place])
    }
}
