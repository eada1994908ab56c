package import HowdahMigration
import HowdahRuntime

/// How stores of all earlier versions get to the present one: what ``StoreOptions/stagedMigrationManager`` takes.
///
/// A store begins with the version that it says it has, and passes through all later ones in order, each stage one
/// transaction. Every version that a store may have must be in a stage, even if it needed no work.
///
/// Source: Core Data's `NSStagedMigrationManager`.
public struct StagedMigrationManager: Sendable {
    /// The stages, in the order in which the versions came.
    public let stages: [MigrationStage]

    /// A migration of `stages`, which may be of both kinds.
    public init(_ stages: [any MigrationStageConvertible]) { self.stages = stages.map(\.stage) }

    /// The migration that a plan in code describes.
    public init(_ plan: any SchemaMigrationPlan.Type) { stages = plan.stages }

    /// The versions and what lies between them, every model read and its checksum compared.
    ///
    /// - Parameter contexts: what handlers and mappings work with; nil for versions to look at, without either.
    /// - Throws: `MigrationError`.
    func path(_ contexts: StageContexts?) throws(MigrationError) -> MigrationPath {
        var segments: [MigrationPath.Segment] = []
        for stage in stages {
            switch stage {
            case .lightweight(let stage):
                segments.append(
                    MigrationPath.Segment(
                        .lightweight, try Self.versions(stage.versions), label: stage.label,
                        confirmedDrops: stage.confirmedDrops))
            case .custom(let stage):
                segments.append(
                    MigrationPath.Segment(
                        .custom, try Self.versions([stage.currentModel, stage.nextModel]), label: stage.label,
                        handlers: StageHandlers(
                            willMigrate: contexts.flatMap { stage.willMigrateHandler.map($0.handler) },
                            didMigrate: contexts.flatMap { stage.didMigrateHandler.map($0.handler) }),
                        confirmedDrops: stage.confirmedDrops))
            case .mapped(let stage):
                segments.append(
                    MigrationPath.Segment(
                        .mapped, try Self.versions([stage.currentModel, stage.nextModel]), label: stage.label,
                        confirmedDrops: stage.confirmedDrops, mapping: contexts?.mapping(stage)))
            }
        }
        return try MigrationPath(segments)
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
    /// The versions and the kinds of the stages between them, for looking at: no handler is in it.
    ///
    /// - Throws: `MigrationError`.
    package func pathWithoutHandlers() throws(MigrationError) -> MigrationPath { try path(nil) }
}

/// How stores of all earlier versions get to the present one.
///
/// Source: SwiftData's `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan {
    /// The stages, in the order in which the versions came. Between the last version of a stage and the first of the next
    /// the changes are inferred.
    static var stages: [MigrationStage] { get }
}
