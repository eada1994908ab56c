import Foundation
public import HowdahMigration
public import HowdahModel
public import HowdahRuntime

/// A stage from one version to the next by a mapping model, all in one transaction.
///
/// The old tables are moved to another schema, new ones are created and filled by the entity mappings, and
/// the old ones are removed. A few statements process all objects of an entity mapping, if SQL can. The rest,
/// and every mapping with a migration policy, runs object by object in batches.
///
/// An object keeps its id, with a higher version, in the first object that was created from it in the entity
/// that continues its own. All others have new ids.
///
/// The role needs the right to create a schema in the database, for the old tables. Or create an empty schema
/// for it, with the store's name after the prefix `_howdah_old_`.
///
/// Source: Core Data's `NSMigrationManager` with an `NSMappingModel`.
public struct MappedMigrationStage: Sendable {
    /// The version before the stage.
    public let currentModel: ManagedObjectModelReference
    /// The version after the stage.
    public let nextModel: ManagedObjectModelReference
    /// The mapping model.
    public let mappingModel: MappingModel
    /// The migration policies, by their names in the mapping model.
    public var policies: [String: EntityMigrationPolicy.Type]
    /// The entities and properties of the first version whose objects and values the stage may drop.
    ///
    /// These are entities that no entity mapping uses, and each `Entity.property` that no expression names. A
    /// mapping of the type `remove` confirms an entity and all of its properties.
    public var confirmedDrops: Set<String> = []
    /// The name in plans and the ledger; nil for the versions' names.
    public var label: String?

    /// Creates a stage with a mapping model.
    ///
    /// It is compared with both models, and with the policies, before anything is changed.
    public init(
        migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference,
        mapping mappingModel: MappingModel, policies: [String: EntityMigrationPolicy.Type] = [:],
        label: String? = nil
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        self.mappingModel = mappingModel
        self.policies = policies
        self.label = label
    }

    /// Returns the plan of the steps between two models, which you can print; without a server.
    ///
    /// - Throws: `MigrationError` with `invalidMapping`, naming all misfits of the models or the policies; or
    ///   `invalidModel`.
    public func plan(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, schemaName: String = "public",
        valueTransformers: [AttributeTransformer] = []
    ) throws(MigrationError) -> MigrationPlan {
        try MappedPlan(
            self, from: source, to: destination, schemaName: schemaName, storeIdentifier: UUID(),
            transformers: valueTransformers
        ).plan
    }
}
