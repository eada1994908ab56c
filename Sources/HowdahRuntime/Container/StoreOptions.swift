public import Foundation
public import Logging
public import PQClient

/// The schema, limits and behaviour of a container; the defaults suit a server application.
public struct StoreOptions: Sendable {
    /// The PostgreSQL schema of the store. If it does not exist and the role may create it, it is created.
    public var schemaName = "public"
    /// A Boolean value that indicates whether the tables belong to another program; false by default.
    ///
    /// If it is true, the store reads and writes the tables and never alters them. Opening compares them with
    /// the model and creates only the store's own record next to them. Keys come from the tables' own
    /// sequences. Objects without a version column are read-only.
    public var existingTables = false
    /// A Boolean value that indicates whether the container only reads; false by default.
    ///
    /// Then a role with the right to SELECT suffices, also on a standby server. Opening never creates or
    /// migrates a store, and transactions are `READ ONLY`. Saves and batches throw `SaveError` with
    /// ``SaveError/Code/readOnly`` before they send anything.
    ///
    /// Behind a pooler that refuses session options, your own SQL outside of `perform(isolation:)` is limited
    /// by the rights of the role only.
    ///
    /// Source: Core Data's `isReadOnly` of `NSPersistentStoreDescription`.
    public var isReadOnly = false
    /// The models that an opened store may have; by default only the program's own.
    ///
    /// With ``AcceptedModel/compatible`` a program continues to work, and can be restarted, while another
    /// version of it is rolled out that has migrated the store. If the program migrates on opening, it then
    /// leaves a store alone that it can use. It never takes a store back to a model from which it was
    /// migrated.
    public var accepting = AcceptedModel.same
    /// The maximum number of connections, and of threads on which bodies of `perform` run; 8 by default.
    public var maximumConnections = 8
    /// The time that a unit of work waits for a thread and a connection, in the order of arrival; 30 seconds
    /// by default.
    ///
    /// After that time it fails with ``StoreError/Code/overloaded``.
    public var connectionWait: Duration = .seconds(30)
    /// The number of units of work that may wait, unlimited by default. Others fail with
    /// ``StoreError/Code/overloaded`` at once.
    ///
    /// A server that answers "try again later" early stays fast for the requests that it accepts.
    public var maximumWaitingUnits = Int.max
    /// The time after which a statement is cancelled, 60 seconds by default; nil for no limit.
    ///
    /// It applies to units of work without a `timeout`, which replaces it, and to contexts outside of one,
    /// such as ``PersistentContainer/viewContext``. Batch requests, COPY, streams and migrations are exempt.
    /// The client measures the time: no setting of the session is changed.
    public var statementTimeout: Duration? = .seconds(60)
    /// The time that running units of work have to finish when the container is closed; 30 seconds by
    /// default.
    ///
    /// ``PersistentContainer/close(drainingFor:)`` uses it if you pass no other time, and so does the service
    /// of the container during a graceful shutdown.
    public var drainingTime: Duration = .seconds(30)
    /// The pooler between the container and the server. By default, each connection detects it when it opens.
    ///
    /// A pooler such as PgBouncer with `pool_mode = transaction` gives each transaction another session.
    /// Statements are then not prepared, migrations are refused, and so is your own SQL that changes the
    /// session. If the pooler keeps one session for each client, set ``PoolerMode/session``.
    public var pooler = PoolerMode.detected
    /// The maximum idle time of the source or the client of a stream, one minute by default; nil for no
    /// limit.
    ///
    /// A stream is an asynchronous sequence of rows that you insert, or an import or export of a graph. If
    /// its source sends nothing for this time, or its client accepts nothing, the call throws `StoreError`
    /// with ``StoreError/Code/streamIdle``. Nothing is stored then.
    public var streamIdleTimeout: Duration? = .seconds(60)
    /// The directory of the temporary files of streams; nil, the default, for the system's, which `TMPDIR`
    /// names.
    ///
    /// A stream collects its bytes there beyond the first MiB. The files have no names while they are used,
    /// so none remains if the process ends. Choose a directory with room for the largest streams that run at
    /// one time.
    public var temporaryDirectory: URL?
    /// A Boolean value that indicates whether each save leaves a token in the store; false by default.
    ///
    /// With the token, the container can determine the outcome of a lost COMMIT. If it is false and a
    /// connection breaks during COMMIT, the save fails with ``SaveError/Code/outcomeUnknown``. If it is true,
    /// the container queries the server on another connection. If the save was stored, it succeeds; if not,
    /// it is repeated.
    ///
    /// It costs one small row per save or transaction, and no round trip. Saves also delete rows older than
    /// two days. Each program that saves to the store may choose independently. It needs the rights to read,
    /// insert, update and delete in the table `_howdah_save`.
    public var resolvesLostCommits = false
    /// The history of the store: ``HistoryOption/asStored`` by default.
    public var history = HistoryOption.asStored
    /// The time between two looks of a stream for changes in the history; 100 milliseconds by default.
    ///
    /// After half a minute without changes a stream looks less often, at least once per second. A save of the
    /// same container wakes it at once.
    public var changePolling: Duration = .milliseconds(100)
    /// A Boolean value that indicates whether contexts with
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` merge the changes of other processes too; true by
    /// default.
    ///
    /// It needs a history, and costs one look at it every ``changePolling`` while there is such a context.
    public var mergesRemoteChanges = true
    /// A Boolean value that indicates whether the container keeps the store's history; true by default.
    ///
    /// It then writes a heartbeat every five seconds and removes old changes every minute, unless another
    /// process does. Set it to false in programs that live for seconds, and run `howdah history keep --once`
    /// regularly.
    public var keepsHistory = true
    /// The transformers for the bytes of Transformable attributes that you access by name. If two have one
    /// name, the last one counts.
    ///
    /// If none has the model's `valueTransformerName`, the value is opaque `Data`. Typed properties of
    /// ``AttributeTransformable`` types need none.
    public var valueTransformers: [AttributeTransformer] = []
    /// The maximum number of rows that one cohort step may return; beyond it the load fails. 1,000,000 by
    /// default.
    public var cohortRowLimit = 1_000_000
    /// The logger of statements, with duration and rows, and never with values.
    ///
    /// The metadata have OpenTelemetry's names, such as `db.query.text`. Statements run inside the task that
    /// calls `perform`, so a metadata provider of the logger adds the ids of its request and trace.
    public var logger = Logger(label: "howdah")
    /// The levels at which the logger gets statements; debug, and warning for failed ones, by default.
    public var statementLevels = StatementLevels()
    /// The time from which a statement is logged as slow, at level notice; nil, the default, for none.
    ///
    /// Each text is logged at most once per minute.
    public var slowStatement: Duration?
    /// The observer of statements, units of work, saves, conflicts, retries and waits; nil by default, which
    /// costs nothing.
    public var observer: (any StoreObserver)?

    /// The migrator that runs while a store with another model is opened; `nil` if there is none.
    package var migrator: (any StoreMigrator)?
    /// The name of the sessions in `pg_stat_activity`, unless the address has one.
    package var applicationName: String?
    /// A Boolean value that indicates whether a read-only container over tables of another program needs the record
    /// that a writing one creates.
    package var requiresRecord = true

    /// Creates options with the defaults.
    public init() {}
}

extension StoreOptions {
    /// Returns the options for a command, which runs one task after the other and reports errors itself.
    package static func ofCommand(schemaName: String) -> StoreOptions {
        var options = StoreOptions()
        options.schemaName = schemaName
        options.maximumConnections = 1
        options.statementTimeout = nil
        // A person may stop reading for longer than a client of a server.
        options.streamIdleTimeout = nil
        options.logger.logLevel = .error
        return options
    }
}

extension StoreOptions {
    /// Refuses an operation on a whole store.
    ///
    /// - Throws: `StoreError.invalidOptions` if the options only permit to read.
    func checkWritable() throws(StoreError) {
        guard isReadOnly else { return }
        throw StoreError(
            .invalidOptions,
            "StoreOptions.isReadOnly is set, and the operation changes the store. Nothing was changed. Unset isReadOnly."
        )
    }
}

extension StoreSettings {
    package init(_ options: StoreOptions) {
        maximumConnections = options.maximumConnections
        connectionWait = options.connectionWait.bounded
        maximumWaitingUnits = options.maximumWaitingUnits
        statementTimeout = options.statementTimeout?.bounded
        cohortRowLimit = options.cohortRowLimit
        streamIdleTimeout = options.streamIdleTimeout?.bounded
        temporaryDirectory = options.temporaryDirectory
        isReadOnly = options.isReadOnly
        changePolling = max(options.changePolling.bounded, .milliseconds(1))
        drainingTime = options.drainingTime
    }
}

/// A program's choice whether a store has a history; see ``StoreOptions/history``.
public enum HistoryOption: Sendable, Hashable {
    /// The program writes a history if the store has one. A new store has none.
    case asStored
    /// A new store is created with a history, which counts from the beginning.
    ///
    /// If a store has none yet and the role owns it, opening creates the tables. Other programs may have the
    /// store open, so this history counts only after `howdah history start`.
    case enabled
}

/// The models that a store may have if a program opens it; see ``StoreOptions/accepting``.
public enum AcceptedModel: Sendable, Hashable {
    /// Only the program's model.
    case same
    /// The program's model, or one that has all of it and more.
    ///
    /// The store's model has all entities, properties and rules of the program's model, stored alike.
    /// Additional properties are optional or have a default, and no new entity is below one of the program's.
    /// Indexes and defaults may differ.
    case compatible
}
