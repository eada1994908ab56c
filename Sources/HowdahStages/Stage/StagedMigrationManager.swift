package import HowdahMigration
import HowdahRuntime

/// The stages from all earlier versions to the present one, for ``StoreOptions/stagedMigrationManager``.
///
/// A store begins with its recorded version, and passes through all later ones in order, each stage in one
/// transaction. Every version that a store may have must be in a stage, even if it needs no work.
///
/// Source: Core Data's `NSStagedMigrationManager`.
public struct StagedMigrationManager: Sendable {
    /// The stages, in the historical order of the versions.
    public let stages: [MigrationStage]

    /// Creates a migration of `stages`, which may be of different kinds.
    public init(_ stages: [any MigrationStageConvertible]) { self.stages = stages.map(\.stage) }

    /// Creates the migration of a plan in code.
    public init(_ plan: any SchemaMigrationPlan.Type) { stages = plan.stages }

    /// Returns the versions and the stages between them, with every model read and its checksum compared.
    ///
    /// - Parameter contexts: The contexts of handlers and mappings; nil for versions to inspect, without
    ///   either.
    /// - Throws: `MigrationError`.
    func path(_ contexts: StageContexts?) throws(MigrationError) -> MigrationPath {
        var listed: [MigrationPath.ListedStage] = []
        for stage in stages {
            switch stage {
            case .lightweight(let stage):
                listed.append(
                    MigrationPath.ListedStage(
                        .lightweight, try Self.versions(stage.versions), label: stage.label,
                        confirmedDrops: stage.confirmedDrops))
            case .custom(let stage):
                listed.append(
                    MigrationPath.ListedStage(
                        .custom, try Self.versions([stage.currentModel, stage.nextModel]), label: stage.label,
                        handlers: StageHandlers(
                            willMigrate: contexts.flatMap { stage.willMigrateHandler.map($0.handler) },
                            didMigrate: contexts.flatMap { stage.didMigrateHandler.map($0.handler) }),
                        confirmedDrops: stage.confirmedDrops))
            case .mapped(let stage):
                listed.append(
                    MigrationPath.ListedStage(
                        .mapped, try Self.versions([stage.currentModel, stage.nextModel]), label: stage.label,
                        confirmedDrops: stage.confirmedDrops, mapping: contexts?.mapping(stage)))
            }
        }
        return try MigrationPath(listed)
    }

    private static func versions(
        _ references: [ManagedObjectModelReference]
    ) throws(MigrationError) -> [MigrationPath.Version] {
        var versions: [MigrationPath.Version] = []
        for reference in references { versions.append(try reference.resolved()) }
        return versions
    }
}

extension StagedMigrationManager {
    /// Returns the versions and the kinds of the stages between them, without handlers, to inspect.
    ///
    /// - Throws: `MigrationError`.
    package func pathWithoutHandlers() throws(MigrationError) -> MigrationPath { try path(nil) }
}

/// The stages from all earlier versions to the present one.
///
/// Source: SwiftData's `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan {
    /// The stages, in the historical order of the versions.
    ///
    /// Changes between the last version of a stage and the first of the next are inferred.
    static var stages: [MigrationStage] { get }
}
