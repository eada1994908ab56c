package import HowdahModel

/// Plans the mapping of a stage between two models, in a schema, and gives what runs its passes, and what it drops.
package typealias StageMapping =
    @Sendable (ManagedObjectModel, ManagedObjectModel, String) throws(MigrationError) -> (
        plan: MigrationPlan, handlers: StageHandlers, losses: [ModelLoss]
    )
