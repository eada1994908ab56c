public import HowdahModel
import HowdahRuntime

/// A stage of a ``SchemaMigrationPlan``.
///
/// Source: SwiftData's `MigrationStage`.
public enum MigrationStage: Sendable, MigrationStageConvertible {
    /// A stage only by inference.
    case lightweight(LightweightMigrationStage)
    /// A stage by inference, with handlers.
    case custom(CustomMigrationStage)
    /// A stage by a mapping model.
    case mapped(MappedMigrationStage)

    /// Returns a stage from a version to the next by inference.
    public static func lightweight(
        _ version: any VersionedSchema.Type, to next: any VersionedSchema.Type,
        confirmedDrops: Set<String> = []
    ) -> MigrationStage {
        .lightweight(
            LightweightMigrationStage(
                [ManagedObjectModelReference(version), ManagedObjectModelReference(next)],
                confirmedDrops: confirmedDrops))
    }

    /// Returns a stage from a version to the next by inference, with work before or after; see
    /// ``CustomMigrationStage``.
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

    /// Returns a stage from a version to the next by a mapping model; see ``MappedMigrationStage``.
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

    /// The stage itself.
    public var stage: MigrationStage { self }
}

/// A type that is a stage of a migration.
public protocol MigrationStageConvertible: Sendable {
    /// The stage as a ``MigrationStage``.
    var stage: MigrationStage { get }
}
