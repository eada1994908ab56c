public import HowdahRuntime

/// A stage from one version to the next by inference, with the program's own work before or after.
///
/// It is one transaction. The handlers use the store through contexts on that transaction. Their objects are
/// plain `ManagedObject`s of the present version, with any classes of the program. Their saves are stored
/// with the stage or not at all.
///
/// A handler runs again if the tables could not be locked, or if a run was interrupted: it should only work
/// on its context. In a rehearsal, ``ManagedObjectContext/isRehearsal`` of that context is true, and the task
/// is cancelled when the given time is over.
///
/// Source: Core Data's `NSCustomMigrationStage`.
public struct CustomMigrationStage: Sendable, MigrationStageConvertible {
    /// A closure that works on a store within a stage.
    ///
    /// If it changes anything, it must end with `save()`; otherwise the stage fails.
    public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

    /// The version before the stage.
    public let currentModel: ManagedObjectModelReference
    /// The version after the stage.
    public let nextModel: ManagedObjectModelReference
    /// The name in plans and the ledger; nil for the versions' names.
    public var label: String?
    /// The handler that runs before the steps, with the model before the stage.
    ///
    /// It can correct data that the checks of the steps would refuse.
    public var willMigrateHandler: Handler?
    /// The handler that runs after the steps, with the model after the stage.
    public var didMigrateHandler: Handler?
    /// The entities and each `Entity.property` of the first version whose values the stage may drop.
    ///
    /// The next version no longer has them, or a handler of this stage or of an earlier one has moved the
    /// values elsewhere.
    public var confirmedDrops: Set<String> = []

    /// Creates a stage without handlers; set one or both.
    public init(
        migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference,
        label: String? = nil
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        self.label = label
    }

    /// The stage as a ``MigrationStage``.
    public var stage: MigrationStage { .custom(self) }
}
