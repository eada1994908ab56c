import Foundation
public import HowdahMigration
public import HowdahModel
public import HowdahRuntime

/// From one version to the next by a mapping model, all in one transaction: the old tables are set aside, new ones made and
/// filled by the entity mappings, and the old ones removed.
///
/// What SQL can do is done by a few statements for all objects of an entity mapping; the rest, and every mapping with a
/// migration policy, goes object by object in batches. An object goes on under its id, with a higher version, in the first
/// object that was made of it in the entity that continues its own; all others have new ids.
///
/// The role needs the right to make a schema in the database, where the old tables are meanwhile; or give it an empty
/// schema of its own named as the store's with `_howdah_old_` before it.
///
/// Source: Core Data's `NSMigrationManager` with an `NSMappingModel`.
public struct MappedMigrationStage: Sendable {
    /// The version that the stage begins with.
    public let currentModel: ManagedObjectModelReference
    /// The version that it makes.
    public let nextModel: ManagedObjectModelReference
    /// What becomes of what.
    public let mappingModel: MappingModel
    /// The migration policies by the names that the mapping model knows them by.
    public var policies: [String: EntityMigrationPolicy.Type]
    /// Entities of the first version that no entity mapping takes, and whose objects may go; and each `Entity.property` that no
    /// expression names, and whose values may go. A mapping of the type `remove` says the same of an entity and all of it.
    public var confirmedDrops: Set<String> = []
    /// What plans and the ledger call it; nil for the versions' names.
    public var label: String?

    /// A stage by a mapping model, which is compared with both models, and with the policies, before anything is done.
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

    /// The steps between two models, as a value to be printed; without a server.
    ///
    /// - Throws: `MigrationError` with `invalidMapping`, naming everything that does not fit the models or the policies;
    ///   with `invalidModel`.
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
