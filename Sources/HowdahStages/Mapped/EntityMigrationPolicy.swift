public import HowdahModel
public import HowdahRuntime

/// The program's own work for the objects of one entity mapping. Override the methods that you need.
///
/// A stage creates one policy for each entity mapping that names its class. It makes three passes over all
/// entity mappings in their order, and calls:
///
/// 1. `begin`, `createDestinationInstances` for each source object, `endInstanceCreation`;
/// 2. `createRelationships` for each destination object, `endRelationshipCreation`;
/// 3. `performCustomValidation`, `end`.
///
/// Source objects are passed in batches in the order of their keys. The created objects are saved after each
/// batch, so that memory stays bounded. A policy may retain objects, which are faults then. Required
/// properties may have no value until the last pass has ended. Objects are plain `ManagedObject`s of the old
/// version and of the new one.
///
/// All of it is in the stage's transaction: an error rolls the stage back. If another session has locked the
/// stage's tables, the stage begins again.
///
/// Source: Core Data's `NSEntityMigrationPolicy`.
nonisolated open class EntityMigrationPolicy {
    /// Creates a policy; called by the stage.
    public required init() {}

    /// The methods that expressions of the mapping model may call, such as `nameFor:`; none by default.
    open class var selectors: Set<String> { [] }

    /// Returns the result of a method that an expression calls by `FUNCTION($entityPolicy, 'selector', …)`.
    ///
    /// It is an attribute's value, an object of the destination, an array of them, or nil.
    ///
    /// - Parameter arguments: The values in the form of `value(forKey:)`, including source objects.
    open func value(
        forSelector selector: String, arguments: [Any?], in mapping: EntityMapping,
        manager: MigrationManager
    ) throws -> Any? { nil }

    /// Runs before the first source object.
    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Creates the destination objects of a source object, without relationships, and associates them with
    /// it.
    ///
    /// By default it creates one, with the attributes of the mapping.
    open func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        guard let entity = mapping.destinationEntityName else { return }
        let destination = manager.destinationContext.insert(entity)
        try manager.setAttributes(of: destination, from: source, in: mapping)
        try manager.associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
    }

    /// Runs after the last source object.
    open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Sets the relationships of a destination object, after the objects of all mappings exist.
    ///
    /// By default it sets those of the mapping.
    open func createRelationships(
        forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try manager.setRelationships(of: destination, in: mapping)
    }

    /// Runs after the last destination object.
    open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Checks the created objects before the rules of the new model are checked, and throws the fault that it
    /// finds.
    open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Runs last.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}
