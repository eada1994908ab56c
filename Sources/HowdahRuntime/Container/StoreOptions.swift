public import Logging

/// How a container uses its database; every value has a default that suits a server application.
public struct StoreOptions: Sendable {
    /// The PostgreSQL schema the store lives in; made where it is missing and the role may.
    public var schemaName = "public"
    /// Whether the tables are another program's, which the store reads and writes and never alters.
    ///
    /// Opening compares them with the model and makes nothing but the store's own record beside them. Keys come from
    /// their own sequences, and objects without a version column can only be read.
    public var existingTables = false
    /// Whether a store that was made with another model is migrated to this one, where the steps can be inferred; false by
    /// default, and opening is then refused.
    ///
    /// Everything happens in one transaction, with the tables locked: readers and writers wait meanwhile. For servers of
    /// which several start at once, `howdah migrate` in the deployment is the better place.
    ///
    /// Source: Core Data's `shouldMigrateStoreAutomatically` and `shouldInferMappingModelAutomatically`.
    public var shouldMigrateStoreAutomatically = false
    /// How a store of an earlier version gets to the model in stages; nil by default. Opening migrates where it is set,
    /// whatever ``shouldMigrateStoreAutomatically`` says.
    ///
    /// Source: Core Data's `NSPersistentStoreStagedMigrationManagerOptionKey`.
    public var stagedMigrationManager: StagedMigrationManager?
    /// Whether a migration does at once only what the model cannot do without, and leaves the rest to
    /// ``PersistentContainer/finishDeferredLightweightMigration()``; false by default.
    ///
    /// The tables are locked for a short transaction. Defaults are then written into rows and unique indexes built, while
    /// others read and write, before the container opens. Other indexes, the validation of rules, and dropping are left. Of
    /// several stages, the last may leave work, where it has no handlers.
    ///
    /// Source: Core Data's `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    public var shouldDeferLightweightMigration = false
    /// Entities and `Entity.property` of the store's model whose values a migration may drop, where it asks for that.
    public var confirmedDrops: Set<String> = []
    /// Which model a store may have that is opened; the program's own by default, and one of any other is refused.
    ///
    /// With ``AcceptedModel/compatible`` a program goes on, and can be started anew, while others of a later version are
    /// rolled out that have migrated the store. Where it migrates on opening itself, it then leaves alone what it
    /// can use as it is, and never takes a store back to a model from which it was migrated.
    public var accepting = AcceptedModel.same
    /// The most connections, and the most threads on which bodies of `perform` run.
    public var maximumConnections = 8
    /// How long a unit of work waits for a connection, in the order of arrival.
    public var connectionWait: Duration = .seconds(30)
    /// Whether each save leaves a token in the store, by which the outcome of a lost COMMIT is found out; false by default.
    ///
    /// Without it, a connection that breaks during COMMIT makes the save fail with ``SaveError/Code/outcomeUnknown``. With
    /// it, the container asks the server on another connection: a save that was stored succeeds, one that was not is
    /// repeated. Costs one small row per save or transaction, and no round trip; rows older than two days are deleted along
    /// with saves. All programs that save to the store may choose for themselves; each needs the rights to read, insert,
    /// update and delete in the table `_howdah_save`.
    public var resolvesLostCommits = false
    /// What makes values of the bytes of Transformable attributes where these are accessed by name; the last of a name counts.
    ///
    /// Without one of the model's `valueTransformerName` the value is opaque `Data`. Typed properties of
    /// ``AttributeTransformable`` types need none.
    public var valueTransformers: [AttributeTransformer] = []
    /// How many rows one cohort step may bring before it is an error.
    public var cohortRowBudget = 1_000_000
    /// Where statements are logged, at debug level with duration and rows, and never with values.
    public var logger = Logger(label: "howdah")

    /// The defaults.
    public init() {}
}

extension StoreOptions {
    /// For a command, which does one thing after the other and says itself what failed.
    package static func ofCommand(schemaName: String) -> StoreOptions {
        var options = StoreOptions()
        options.schemaName = schemaName
        options.maximumConnections = 1
        options.logger.logLevel = .error
        return options
    }
}
