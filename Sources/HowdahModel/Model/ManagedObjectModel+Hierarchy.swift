extension ManagedObjectModel {
    /// Returns the entity's properties: the root's first, then those of each subentity down to it, in
    /// declaration order.
    ///
    /// If the name is unknown, the result is empty.
    public func properties(of entity: String) -> [PropertyDescription] {
        lineage(of: entity).reversed().flatMap(\.properties)
    }

    /// Returns the property of that name, own or inherited.
    public func property(named name: String, of entity: String) -> PropertyDescription? {
        declaration(of: name, in: entity)?.property
    }

    /// Returns the direct subentities, sorted by name.
    public func subentities(of entity: String) -> [EntityDescription] {
        (index.subentities[entity] ?? []).compactMap { self[$0] }
    }

    /// Returns the entity itself and all entities below it, each before its subentities.
    public func descendants(of entity: String) -> [EntityDescription] {
        index.descendants(of: entity).map { entities[$0] }
    }

    /// Returns the entity itself, then its superentity, up to the root.
    public func lineage(of entity: String) -> [EntityDescription] {
        index.lineage(of: entity).map { entities[$0] }
    }

    /// Returns the topmost superentity, or the entity itself if it has none.
    public func root(of entity: String) -> EntityDescription? { index.root(of: entity).map { entities[$0] } }

    /// The entities without superentity, sorted by name.
    public var roots: [EntityDescription] {
        entities.filter { $0.superentity == nil }.sorted { $0.name < $1.name }
    }

    /// Returns a Boolean value that indicates whether the entity shares its table with a superentity or
    /// subentities.
    public func isInHierarchy(_ entity: String) -> Bool {
        guard let root = root(of: entity) else { return false }
        return !(index.subentities[root.name] ?? []).isEmpty
    }

    /// Returns the stored names of the entity, unless abstract, and of all concrete entities below it;
    /// sorted.
    public func concreteStoredNames(of entity: String) -> [String] {
        index.descendants(of: entity).filter { !entities[$0].isAbstract }.map { entities[$0].storedName }
            .sorted()
    }

    /// Returns the property of that name and the entity that declares it.
    package func declaration(
        of name: String, in entity: String
    ) -> (entity: EntityDescription, property: PropertyDescription)? {
        index.declaration(of: name, in: entity).map { found in
            (entities[found.entity], entities[found.entity].properties[found.property])
        }
    }
}
