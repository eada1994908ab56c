public import HowdahMigration
public import HowdahModel
public import HowdahRuntime

extension PersistentContainer {
    /// Opens a store as ``open(_:model:options:)`` does, and first takes it through the stages of a plan where it has an
    /// earlier version.
    ///
    /// Each stage is one transaction: locks, handlers, steps and records. What fails or is cut off leaves the store with a
    /// listed version, and opening it again goes on from there. Of several programs that open at once, one migrates and the
    /// others wait.
    ///
    /// - Throws: as ``open(_:model:options:)``; `StoreError.migrationFailed` names the stage, and the handler that threw.
    public static func open(
        _ url: String, model: ManagedObjectModel, migrating plan: any SchemaMigrationPlan.Type,
        options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        var options = options
        options.stagedMigrationManager = StagedMigrationManager(plan)
        return try await open(url, model: model, options: options)
    }

    /// The stages that opening the store with ``StoreOptions/stagedMigrationManager`` would run, as a value to be printed;
    /// none where it has the model already, or is not there. Reads only.
    ///
    /// - Throws: `StoreError` as ``open(_:model:options:)``.
    public static func migrationPlan(
        _ url: String, model: ManagedObjectModel, options: StoreOptions
    ) async throws -> StagedMigrationPlan {
        let opening = try StoreOpening(url, model: model, options: options)
        let migrator = options.migrator as? StageMigrator ?? StageMigrator()
        do {
            let plan = try await opening.onWorker {
                try opening.withConnection { try migrator.plan(opening, on: $0) }
            }
            await opening.close()
            return plan
        } catch {
            await opening.close()
            throw error
        }
    }
}
