public import HowdahModel
public import HowdahRuntime
import PQClient

/// What a migration policy works with: the two stores, and what became of what.
///
/// It lives as long as one try of the stage, for all entity mappings.
///
/// Source: Core Data's `NSMigrationManager`.
public final class MigrationManager {
    /// The mapping model, with everything that it leaves to the two models filled in.
    public let mappingModel: MappingModel
    /// The model that the stage begins with.
    public let sourceModel: ManagedObjectModel
    /// The model that it leads to.
    public let destinationModel: ManagedObjectModel
    /// The old store; what is changed here is lost, and should not be.
    public let sourceContext: ManagedObjectContext
    /// The new store, saved after each batch and each pass.
    public let destinationContext: ManagedObjectContext
    /// Whether all of it is undone at the end, as by `howdah migrate rehearse`: what is outside of the database is to be left
    /// alone then.
    public var isRehearsal: Bool { destinationContext.isRehearsal }
    /// Whatever policies tell each other, or keep from one hook to the next.
    public var userInfo: [String: Any] = [:]
    /// The entity mapping that is worked on.
    public var currentEntityMapping: EntityMapping? { entry?.mapping }

    /// The entity of the source model that the mapping reads; nil if it reads none.
    ///
    /// Source: Core Data's `sourceEntity(for:)`.
    public func sourceEntity(for mapping: EntityMapping) -> EntityDescription? {
        mapping.sourceEntityName.flatMap { sourceModel[$0] }
    }

    /// The entity of the destination model that the mapping makes; nil if it makes none.
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
    /// Associations that are not in the database yet, as their destinations may have no keys.
    var pending: [(mapping: Int, source: Int64, destination: ManagedObject)] = []
    /// The keys of source objects for which it is known whether they were taken over, and those that were.
    var asked: Set<Int64> = []
    var taken: Set<Int64> = []
    /// The source objects of the batch of destination objects that is worked on, by these objects' keys.
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

    /// Runs hooks of one entity mapping, and stores what they did.
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
