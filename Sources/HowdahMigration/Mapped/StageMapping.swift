package import HowdahModel

/// Plans the mapping of a stage between two models, in a schema, where some entities may go, and gives what runs its passes.
package typealias StageMapping =
    @Sendable (ManagedObjectModel, ManagedObjectModel, String, Set<String>) throws(MigrationError) -> (
        plan: MigrationPlan, handlers: StageHandlers
    )
