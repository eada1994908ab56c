public import HowdahModel
public import HowdahRuntime
import PQClient

/// The environment of a migration policy: the two stores, and the pairs of source and destination objects.
///
/// It exists for one attempt of the stage, for all entity mappings.
///
/// Source: Core Data's `NSMigrationManager`.
public final class MigrationManager {
    /// The mapping model, with the facts that it leaves to the two models.
    public let mappingModel: MappingModel
    /// The model before the stage.
    public let sourceModel: ManagedObjectModel
    /// The model after the stage.
    public let destinationModel: ManagedObjectModel
    /// The context of the old store. Do not change objects in it: changes are lost.
    public let sourceContext: ManagedObjectContext
    /// The context of the new store, saved after each batch and each pass.
    public let destinationContext: ManagedObjectContext
    /// A Boolean value that indicates whether all changes are rolled back at the end, as by `howdah migrate
    /// rehearse`.
    ///
    /// If it is true, change nothing outside of the database.
    public var isRehearsal: Bool { destinationContext.isRehearsal }
    /// Your own values, for other policies or for later hooks.
    public var userInfo: [String: Any] = [:]
    /// The present entity mapping.
    public var currentEntityMapping: EntityMapping? { entry?.mapping }

    /// Returns the entity of the source model that the mapping reads; nil if it reads none.
    ///
    /// Source: Core Data's `sourceEntity(for:)`.
    public func sourceEntity(for mapping: EntityMapping) -> EntityDescription? {
        mapping.sourceEntityName.flatMap { sourceModel[$0] }
    }

    /// Returns the entity of the destination model that the mapping creates; nil if it creates none.
    ///
    /// Source: Core Data's `destinationEntity(for:)`.
    public func destinationEntity(for mapping: EntityMapping) -> EntityDescription? {
        mapping.destinationEntityName.flatMap { destinationModel[$0] }
    }

    let layouts: MappingLayouts
    let connection: Connection
    var entry: MappingLayouts.Entry?
    var policy: EntityMigrationPolicy?
    /// The attribute whose value is computed.
    var property: PropertyMapping?
    /// The associations that are not in the database yet, because their destinations may have no keys.
    var pending: [(mapping: Int, source: Int64, destination: ManagedObject)] = []
    /// The keys of source objects that were looked up, and of those that have destinations.
    var asked: Set<Int64> = []
    var taken: Set<Int64> = []
    /// The source objects of the present batch of destination objects, by these objects' keys.
    var sourcesOfBatch: [Int64: [ManagedObject]] = [:]
    var evaluators: [MappingExpression: ExpressionEvaluator] = [:]

    init(
        _ mappingModel: MappingModel, _ models: (ManagedObjectModel, ManagedObjectModel),
        _ contexts: (ManagedObjectContext, ManagedObjectContext), _ layouts: MappingLayouts,
        _ connection: Connection
    ) {
        self.mappingModel = mappingModel
        (sourceModel, destinationModel) = models
        (sourceContext, destinationContext) = contexts
        self.layouts = layouts
        self.connection = connection
    }

    /// Runs hooks of one entity mapping, and stores their changes.
    func working(
        on entry: MappingLayouts.Entry, _ policy: EntityMigrationPolicy,
        _ body: (EntityMigrationPolicy) throws -> Void
    ) throws {
        (self.entry, self.policy) = (entry, policy)
        try body(policy)
        try store()
        (self.entry, self.policy) = (nil, nil)
    }
}

@available(
    *, unavailable, message: "A migration manager is not Sendable. Use it only in the hook that receives it."
)
extension MigrationManager: Sendable {}
