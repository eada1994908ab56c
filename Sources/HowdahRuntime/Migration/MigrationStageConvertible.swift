/// A stage of a migration, of either kind.
public protocol MigrationStageConvertible: Sendable {
    /// The stage as one of several.
    var stage: MigrationStage { get }
}
