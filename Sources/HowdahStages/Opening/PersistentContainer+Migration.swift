public import HowdahMigration
public import HowdahModel
public import HowdahRuntime

extension PersistentContainer {
    /// Opens a store as ``open(_:model:options:)`` does, and first migrates an earlier version through the
    /// stages of a plan.
    ///
    /// Each stage is one transaction: locks, handlers, steps and records. If a stage fails or is interrupted,
    /// the store has one of the listed versions, and the next opening continues from there. If several
    /// programs open the store at once, one migrates and the others wait.
    ///
    /// - Throws: The errors of ``open(_:model:options:)``; `StoreError.migrationFailed` names the stage, and
    ///   the handler that threw.
    public static func open(
        _ url: String, model: ManagedObjectModel, migrating plan: any SchemaMigrationPlan.Type,
        options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        var options = options
        options.stagedMigrationManager = StagedMigrationManager(plan)
        return try await open(url, model: model, options: options)
    }

    /// Returns the stages that a migration of the store to a model has, which you can print.
    ///
    /// With ``StoreOptions/stagedMigrationManager``, these are its stages. Otherwise there is one stage with
    /// the inferred steps, also if the options do not let an opening migrate. There are none if the store has
    /// the model already, or does not exist. The call only reads.
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
