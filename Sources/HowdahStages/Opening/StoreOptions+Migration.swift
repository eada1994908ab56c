public import HowdahRuntime

extension StoreOptions {
    /// A Boolean value that indicates whether a store with another model is migrated to this one; false by
    /// default.
    ///
    /// The steps must be inferable. If it is false, opening is refused. The migration is one transaction with
    /// the tables locked: readers and writers wait meanwhile. If you start several servers at once, run
    /// `howdah migrate` in the deployment instead.
    ///
    /// Source: Core Data's `shouldMigrateStoreAutomatically` and `shouldInferMappingModelAutomatically`.
    public var shouldMigrateStoreAutomatically: Bool {
        get { stages.isAutomatic }
        set { stages.isAutomatic = newValue }
    }

    /// The stages from earlier versions of the model to this one; nil by default.
    ///
    /// If it is set, opening migrates, with any value of ``shouldMigrateStoreAutomatically``.
    ///
    /// Source: Core Data's `NSPersistentStoreStagedMigrationManagerOptionKey`.
    public var stagedMigrationManager: StagedMigrationManager? {
        get { stages.manager }
        set { stages.manager = newValue }
    }

    /// A Boolean value that indicates whether a migration runs only its necessary steps at once; false by
    /// default.
    ///
    /// ``PersistentContainer/finishDeferredLightweightMigration()`` runs the others. The tables are locked
    /// for a short transaction. Before the container opens, defaults are written into rows and unique indexes
    /// are built, while other sessions read and write. Other indexes, the validation of rules, and drops are
    /// deferred. Of several stages, only the last may defer steps, and only if it has no handlers.
    ///
    /// Source: Core Data's `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    public var shouldDeferLightweightMigration: Bool {
        get { stages.isDeferring }
        set { stages.isDeferring = newValue }
    }

    /// The entities and properties whose values a migration may drop, as `Entity` or `Entity.property`.
    ///
    /// Name elements of composites by dotted path. If a migration would drop values without a name here, or
    /// in `confirmedDrops` of its stage, it is refused.
    public var confirmedDrops: Set<String> {
        get { stages.confirmedDrops }
        set { stages.confirmedDrops = newValue }
    }

    /// The time that one attempt of a migration waits for a lock on a table; 2 seconds by default.
    ///
    /// Other sessions that need the table wait behind the attempt. If it fails, the stage is rolled back and
    /// repeated, until ``migrationLockBudget`` is spent. Both times also apply to
    /// ``PersistentContainer/finishDeferredLightweightMigration()``.
    public var migrationLockTimeout: Duration {
        get { stages.lockTimeout }
        set { stages.lockTimeout = newValue }
    }

    /// The time that all attempts of a stage to lock its tables may take; 60 seconds by default.
    ///
    /// For the first stage it includes the wait for another program that migrates the store. The session that
    /// holds the lock is logged once, and named in the error.
    public var migrationLockBudget: Duration {
        get { stages.lockBudget }
        set { stages.lockBudget = newValue }
    }

    private var stages: StageMigrator {
        get { migrator as? StageMigrator ?? StageMigrator() }
        set { migrator = newValue }
    }
}
