public import HowdahRuntime

/// From one version to the next by inference, with work of the program's own before or after, all in one transaction.
///
/// The handlers see the store through contexts on that transaction, whose objects are plain `ManagedObject`s of the
/// version at hand, whatever classes the program has. What they save is stored with the stage or not at all.
/// A handler runs again where the tables could not be locked, or a run was cut off: it should do nothing but work on its
/// context. In a rehearsal that context is one of ``ManagedObjectContext/isRehearsal``, and the task is cancelled when the time
/// given is over.
///
/// Source: Core Data's `NSCustomMigrationStage`.
public struct CustomMigrationStage: Sendable, MigrationStageConvertible {
    /// Works on a store in the middle of a stage; ends with `save()` where it changed anything, else the stage fails.
    public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

    /// The version that the stage begins with.
    public let currentModel: ManagedObjectModelReference
    /// The version that it leads to.
    public let nextModel: ManagedObjectModelReference
    /// What plans and the ledger call it; nil for the versions' names.
    public var label: String?
    /// Runs before the steps, with the model that the stage begins with: what checks of the steps would find in the way
    /// can be put right here.
    public var willMigrateHandler: Handler?
    /// Runs after the steps, with the model that the stage leads to.
    public var didMigrateHandler: Handler?
    /// Entities and `Entity.property` of the first version whose values may go: those that the next version no longer has, and
    /// those that a handler of this stage, or of an earlier one, has moved elsewhere.
    public var confirmedDrops: Set<String> = []

    /// A stage without handlers; give it one or both.
    public init(
        migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference,
        label: String? = nil
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        self.label = label
    }

    /// The stage as one of several.
    public var stage: MigrationStage { .custom(self) }
}
