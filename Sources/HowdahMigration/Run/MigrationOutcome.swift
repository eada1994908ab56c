/// What a migration did.
public enum MigrationOutcome: Sendable, Hashable {
    /// The store had the model already.
    case upToDate
    /// All steps were done.
    case migrated(MigrationPlan)
}
