/// How a store is migrated.
package struct MigrationOptions: Sendable, Hashable {
    /// Entities and `Entity.property` whose values may be dropped; elements of composites by dotted path.
    package var confirmedDrops: Set<String> = []
    /// How long one try waits for a lock on a table, while readers and writers queue behind it.
    package var lockTimeout: Duration = .seconds(2)
    /// How long all tries may take, those for the migration's own lock included.
    package var lockBudget: Duration = .seconds(60)

    /// Whether what the new model can do without is left for later, so that the tables are locked for a short time only;
    /// false by default.
    package var shouldDeferLightweightMigration = false

    /// Indicates whether the store may go back to a model that it has left.
    package var goesBack = false

    /// Indicates whether a program migrates as it opens the store, and nobody decided it for this store.
    package var isOpening = false

    /// The defaults.
    package init() {}
}
