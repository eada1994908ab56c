import HowdahModel

/// The class of each entity's objects. If no class is registered for an entity, its objects are plain managed
/// objects.
package struct ObjectClasses: Sendable {
    private let classes: [ManagedObject.Type]
    private let places: [ObjectIdentifier: Int]

    /// Looks up the classes that a model names.
    ///
    /// - Throws: `StoreError.classMismatch` if a class does not have the properties of its entity.
    init(_ model: ManagedObjectModel, _ layouts: [EntityLayout]) throws {
        var places: [ObjectIdentifier: Int] = [:]
        classes = try layouts.map { layout in
            guard let name = model[layout.name]?.className, let type = ClassRegistry.type(named: name) else {
                return ManagedObject.self
            }
            let (declared, wanted) = (type.propertyNames, layout.slots.map(\.name))
            guard declared == wanted else {
                throw StoreError(
                    .classMismatch,
                    "\(name) has the properties \(declared), but its entity \(layout.name) has \(wanted). Correct the "
                        + "class, or generate it again from the model.")
            }
            places[ObjectIdentifier(type)] = layout.index
            return type
        }
        self.places = places
    }

    /// Uses plain managed objects for all entities, because the model's classes may be of another version.
    package init(plain layouts: [EntityLayout]) {
        classes = layouts.map { _ in ManagedObject.self }
        places = [:]
    }

    subscript(layout: EntityLayout) -> ManagedObject.Type { classes[layout.index] }

    /// Returns a Boolean value that indicates whether all objects of an entity and its sub-entities are of
    /// `type`.
    func areAll(_ type: ManagedObject.Type, in layout: EntityLayout) -> Bool {
        type == ManagedObject.self || layout.family.allSatisfy { isClass(classes[$0], a: type) }
    }

    private func isClass(_ candidate: ManagedObject.Type, a type: ManagedObject.Type) -> Bool {
        var current: AnyClass? = candidate
        while let present = current {
            if present == type { return true }
            current = _getSuperclass(present)
        }
        return false
    }

    /// Returns the position of the entity whose objects are of this class.
    func place(of type: ManagedObject.Type) -> Int? { places[ObjectIdentifier(type)] }
}
