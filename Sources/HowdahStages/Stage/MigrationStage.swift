public import HowdahModel
import HowdahRuntime

/// A stage of a ``SchemaMigrationPlan``.
///
/// Source: SwiftData's `MigrationStage`.
public enum MigrationStage: Sendable, MigrationStageConvertible {
    /// By inference alone.
    case lightweight(LightweightMigrationStage)
    /// By inference, with handlers.
    case custom(CustomMigrationStage)
    /// By a mapping model.
    case mapped(MappedMigrationStage)

    /// From a version to the next by inference.
    public static func lightweight(
        _ version: any VersionedSchema.Type, to next: any VersionedSchema.Type,
        confirmedDrops: Set<String> = []
    ) -> MigrationStage {
        .lightweight(
            LightweightMigrationStage(
                [ManagedObjectModelReference(version), ManagedObjectModelReference(next)],
                confirmedDrops: confirmedDrops))
    }

    /// From a version to the next by inference, with work before or after; see ``CustomMigrationStage``.
    public static func custom(
        from version: any VersionedSchema.Type, to next: any VersionedSchema.Type,
        confirmedDrops: Set<String> = [],
        willMigrate: CustomMigrationStage.Handler? = nil, didMigrate: CustomMigrationStage.Handler? = nil
    ) -> MigrationStage {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(version), to: ManagedObjectModelReference(next))
        stage.confirmedDrops = confirmedDrops
        stage.willMigrateHandler = willMigrate
        stage.didMigrateHandler = didMigrate
        return .custom(stage)
    }

    /// From a version to the next by a mapping model; see ``MappedMigrationStage``.
    public static func mapped(
        from version: any VersionedSchema.Type, to next: any VersionedSchema.Type, mapping: MappingModel,
        policies: [String: EntityMigrationPolicy.Type] = [:], confirmedDrops: Set<String> = []
    ) -> MigrationStage {
        var stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(version), to: ManagedObjectModelReference(next),
            mapping: mapping, policies: policies)
        stage.confirmedDrops = confirmedDrops
        return .mapped(stage)
    }

    /// Itself.
    public var stage: MigrationStage { self }
}

/// A stage of a migration, of either kind.
public protocol MigrationStageConvertible: Sendable {
    /// The stage as one of several.
    var stage: MigrationStage { get }
}
