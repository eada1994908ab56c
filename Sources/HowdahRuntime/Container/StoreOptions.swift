public import Foundation
public import Logging
public import PQClient

/// How a container uses its database; every value has a default that suits a server application.
public struct StoreOptions: Sendable {
    /// The PostgreSQL schema the store lives in; made where it is missing and the role may.
    public var schemaName = "public"
    /// Whether the tables are another program's, which the store reads and writes and never alters.
    ///
    /// Opening compares them with the model and makes nothing but the store's own record beside them. Keys come from
    /// their own sequences, and objects without a version column can only be read.
    public var existingTables = false
    /// Which model a store may have that is opened; the program's own by default, and one of any other is refused.
    ///
    /// With ``AcceptedModel/compatible`` a program goes on, and can be started anew, while others of a later version are
    /// rolled out that have migrated the store. Where it migrates on opening itself, it then leaves alone what it
    /// can use as it is, and never takes a store back to a model from which it was migrated.
    public var accepting = AcceptedModel.same
    /// The most connections, and the most threads on which bodies of `perform` run.
    public var maximumConnections = 8
    /// The time in which a unit of work waits for a thread and a connection, in the order of arrival. Then it fails with
    /// ``StoreError/Code/overloaded``.
    public var connectionWait: Duration = .seconds(30)
    /// The number of units of work that may wait, unlimited by default. Others fail with ``StoreError/Code/overloaded`` at once.
    ///
    /// A server that answers "try again later" early stays quick for those whom it does answer.
    public var maximumWaitingUnits = Int.max
    /// The time after which a statement is cancelled, 60 seconds by default; nil for no limit.
    ///
    /// For units of work without a `timeout`, which replaces it, and for contexts outside of one, as
    /// ``PersistentContainer/viewContext``. Batch requests, COPY, streams and migrations take as long as they need. The clock
    /// is the client's: no setting of the session is changed.
    public var statementTimeout: Duration? = .seconds(60)
    /// The pooler between the container and the server. By default, each connection finds it out when it opens.
    ///
    /// Behind a pooler that gives each transaction another session, such as PgBouncer with `pool_mode = transaction`,
    /// statements are not prepared, migrations are refused, and so is SQL of your own that changes the session. Say
    /// ``PoolerMode/session`` if the pooler keeps one session for each client.
    public var pooler = PoolerMode.detected
    /// The longest time in which the source or the client of a stream may do nothing, one minute by default;
    /// nil for no limit.
    ///
    /// A stream is an asynchronous sequence of rows that you insert, or an import or export of a graph. If
    /// its source brings nothing for this long, or its client takes nothing, the call throws `StoreError`
    /// with ``StoreError/Code/streamIdle``. Nothing is stored then.
    public var streamIdleTimeout: Duration? = .seconds(60)
    /// The directory of the temporary files of streams; nil, the default, for the system's, which `TMPDIR`
    /// names.
    ///
    /// A stream collects its bytes there beyond the first MiB. The files have no names while they are used,
    /// so that none is left if the process ends. Choose a directory with room for the largest streams that
    /// run at one time.
    public var temporaryDirectory: URL?
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

    /// The migrator of a store that was made with another model, which runs while the store is opened; `nil` if there is none.
    package var migrator: (any StoreMigrator)?

    /// The defaults.
    public init() {}
}

extension StoreOptions {
    /// For a command, which does one thing after the other and says itself what failed.
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

extension StoreSettings {
    package init(_ options: StoreOptions) {
        maximumConnections = options.maximumConnections
        connectionWait = options.connectionWait
        maximumWaitingUnits = options.maximumWaitingUnits
        statementTimeout = options.statementTimeout
        cohortRowBudget = options.cohortRowBudget
        streamIdleTimeout = options.streamIdleTimeout
        temporaryDirectory = options.temporaryDirectory
    }
}

/// Which model a store may have that a program opens; see ``StoreOptions/accepting``.
public enum AcceptedModel: Sendable, Hashable {
    /// The program's.
    case same
    /// The program's, or one that has all of it and more.
    ///
    /// All entities, properties and rules of the program's model are in the store's and stored alike; what is there
    /// besides is optional or has a default, and no new entity is below one of the program's. Indexes and defaults may
    /// differ.
    case compatible
}
