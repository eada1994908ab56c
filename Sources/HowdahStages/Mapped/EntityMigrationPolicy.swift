public import HowdahModel
public import HowdahRuntime

/// What a program does itself for the objects of one entity mapping; override what differs.
///
/// A stage makes one policy for each entity mapping that names its class. In three passes over all entity mappings in
/// their order it calls
///
/// 1. `begin`, `createDestinationInstances` for each source object, `endInstanceCreation`;
/// 2. `createRelationships` for each destination object, `endRelationshipCreation`;
/// 3. `performCustomValidation`, `end`.
///
/// Source objects come in batches in the order of their keys, and what was made is saved after each batch, so that memory
/// stays bounded; a policy may hold on to objects, which are faults then. What must have a value may be without one until
/// the last pass is over. Objects are plain `ManagedObject`s of the old version and of the new one. All of it is in the
/// stage's transaction: what throws undoes the stage, and a stage whose tables were locked by others begins anew.
///
/// Source: Core Data's `NSEntityMigrationPolicy`.
nonisolated open class EntityMigrationPolicy {
    /// Called by the stage.
    public required init() {}

    /// The methods that expressions of the mapping model may call, such as `nameFor:`; none by default.
    open class var selectors: Set<String> { [] }

    /// What a method comes to that an expression calls by `FUNCTION($entityPolicy, 'selector', …)`: an attribute's value, an
    /// object of the destination, an array of them, or nil.
    ///
    /// - Parameter arguments: what `value(forKey:)` would give, source objects among it.
    open func value(
        forSelector selector: String, arguments: [Any?], in mapping: EntityMapping,
        manager: MigrationManager
    ) throws -> Any? { nil }

    /// Called before the first source object.
    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Makes the destination objects of a source object, without relationships, and associates them with it; by default
    /// one, with the attributes that the mapping gives it.
    open func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        guard let entity = mapping.destinationEntityName else { return }
        let destination = manager.destinationContext.insert(entity)
        try manager.setAttributes(of: destination, from: source, in: mapping)
        try manager.associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
    }

    /// Called after the last source object.
    open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Sets the relationships of a destination object, when the objects of all mappings are there; by default those that
    /// the mapping gives it.
    open func createRelationships(
        forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try manager.setRelationships(of: destination, in: mapping)
    }

    /// Called after the last destination object.
    open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Looks at what was made, before the rules of the new model are; throws what is wrong.
    open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Called last.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}
