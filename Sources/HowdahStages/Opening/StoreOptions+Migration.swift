public import HowdahRuntime

extension StoreOptions {
    /// Whether a store that was made with another model is migrated to this one, where the steps can be inferred; false by
    /// default, and opening is then refused.
    ///
    /// Everything happens in one transaction, with the tables locked: readers and writers wait meanwhile. For servers of
    /// which several start at once, `howdah migrate` in the deployment is the better place.
    ///
    /// Source: Core Data's `shouldMigrateStoreAutomatically` and `shouldInferMappingModelAutomatically`.
    public var shouldMigrateStoreAutomatically: Bool {
        get { stages.isAutomatic }
        set { stages.isAutomatic = newValue }
    }

    /// How a store of an earlier version gets to the model in stages; nil by default. Opening migrates where it is set,
    /// whatever ``shouldMigrateStoreAutomatically`` says.
    ///
    /// Source: Core Data's `NSPersistentStoreStagedMigrationManagerOptionKey`.
    public var stagedMigrationManager: StagedMigrationManager? {
        get { stages.manager }
        set { stages.manager = newValue }
    }

    /// Whether a migration does at once only what the model cannot do without, and leaves the rest to
    /// ``PersistentContainer/finishDeferredLightweightMigration()``; false by default.
    ///
    /// The tables are locked for a short transaction. Defaults are then written into rows and unique indexes built, while
    /// others read and write, before the container opens. Other indexes, the validation of rules, and dropping are left. Of
    /// several stages, the last may leave work, where it has no handlers.
    ///
    /// Source: Core Data's `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    public var shouldDeferLightweightMigration: Bool {
        get { stages.isDeferring }
        set { stages.isDeferring = newValue }
    }

    /// Entities and `Entity.property` whose values a migration may drop; elements of composites by dotted path.
    ///
    /// A migration that would drop values without a name here, or in `confirmedDrops` of its stage, is refused.
    public var confirmedDrops: Set<String> {
        get { stages.confirmedDrops }
        set { stages.confirmedDrops = newValue }
    }

    private var stages: StageMigrator {
        get { migrator as? StageMigrator ?? StageMigrator() }
        set { migrator = newValue }
    }
}
