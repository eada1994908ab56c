/// A stage of a ``SchemaMigrationPlan``.
///
/// Source: SwiftData's `MigrationStage`.
public enum MigrationStage: Sendable, MigrationStageConvertible {
    /// By inference alone.
    case lightweight(LightweightMigrationStage)
    /// By inference, with handlers.
    case custom(CustomMigrationStage)

    /// From a version to the next by inference.
    public static func lightweight(
        _ version: any VersionedSchema.Type, to next: any VersionedSchema.Type
    ) -> MigrationStage {
        .lightweight(
            LightweightMigrationStage([
                ManagedObjectModelReference(version), ManagedObjectModelReference(next),
            ]))
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

    /// Itself.
    public var stage: MigrationStage { self }
}
