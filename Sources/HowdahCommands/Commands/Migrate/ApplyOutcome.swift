import HowdahMigration

/// What `apply` did, as JSON.
struct ApplyOutcome: Encodable {
    enum Kind: String, Encodable {
        /// There was no store.
        case made
        case migrated
        /// It had the model already.
        case current
    }

    let outcome: Kind
    /// What people call the version that the store has now; nil where that is not known.
    let version: String?
    let checksum: String
    let schemaName: String
    /// How many steps are left for `finish`.
    var pending = 0
    /// The stages that were done.
    var stages: [StagedMigrationPlan.Stage] = []
}
