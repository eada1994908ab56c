internal import CLibPQ
package import Foundation

/// A session with a PostgreSQL server; every call blocks its thread.
///
/// A connection is not Sendable: one thread at a time uses it. Only ``canceller`` may be used from other
/// threads. Calls do not nest: inside the body of a COPY, or in an observer, the connection cannot be used.
public final class Connection {
    enum Activity { case ready, busy }

    @exclusivity(unchecked) var handle: OpaquePointer?
    @exclusivity(unchecked) var activity = Activity.ready
    @exclusivity(unchecked) var cache: StatementCache
    let isEncrypted: Bool
    /// The way in which a pooler before the server treats statements.
    @exclusivity(unchecked) var pooling = Pooling.none
    /// A comment that distinguishes texts of this program from equal texts with other column types.
    ///
    /// Poolers that share statements between clients need it.
    @exclusivity(unchecked) var statementTag: StatementTag?
    /// The time after which a statement other than COPY is cancelled; nil for no limit.
    @exclusivity(unchecked) package var statementTimeout: Duration?
    /// Indicates whether names mean PostgreSQL's own operators and types before others; nil if not yet
    /// queried.
    @exclusivity(unchecked) package var findsOwnNamesFirst: Bool?
    /// Indicates whether the session enforces constraints against a setting of its role.
    @exclusivity(unchecked) var enforcesConstraints = false
    /// The store whose lock the session holds, as the owner of the connection noted; nil if it holds none.
    @exclusivity(unchecked) package var markedStore: UUID?
    /// Indicates whether the program itself sent SQL, which may have changed the session.
    @exclusivity(unchecked) package var mayBeChanged = false
    /// Indicates whether the server refused to write, as a primary does that has become a standby.
    @exclusivity(unchecked) var isReadOnly = false
    /// Indicates whether all transactions are READ ONLY, because the configuration says so.
    @exclusivity(unchecked) private(set) var isReadOnlySession = false
    /// Indicates whether the last transaction was opened READ ONLY.
    @exclusivity(unchecked) var isAskedToReadOnly = false
    private let notices = NoticeReceiver()
    /// The SQLSTATE of the error by which the open transaction failed, if it failed.
    @exclusivity(unchecked) var failedState: String?

    /// The time at which the current unit of work must end; nil for no limit.
    ///
    /// A statement that still runs then is cancelled. If the server does not answer the cancel request within
    /// a second, the connection is closed. Either throws code `deadlineExceeded`.
    @exclusivity(unchecked) public var deadline: ContinuousClock.Instant?
    /// The closure that is called after each statement, on the same thread; nil costs nothing.
    @exclusivity(unchecked) public var observer: ((StatementEvent) -> Void)?
    /// The observer of round trips; nil if nothing observes them. If it needs nothing of a statement that
    /// succeeded, the closure is not called either.
    @exclusivity(unchecked) package var roundTripObserver: (any RoundTripObserver)?
    /// The time at which the first statement began that the observers receive; nil before one.
    @exclusivity(unchecked) package internal(set) var observedStart: MonotonicTime?
    /// The numbers that the observer of round trips has not received yet.
    @exclusivity(unchecked) var tally = RoundTripTally()
    /// The subject of the statements that are sent at the moment.
    @exclusivity(unchecked) var subject: StatementSubject?
    /// The object that ends the running statement from any thread.
    public let canceller: Canceller
    /// The id of the server process of this session. If ``isPooled``, a pooler may have made it up.
    public let backendProcessID: Int32
    /// The version of the server in libpq's form: 150018 for 15.18.
    public let serverVersion: Int

    /// Indicates whether the connection is closed at the deadline, without a cancel request and the second
    /// for its answer.
    @exclusivity(unchecked) package var givesUpAtDeadline = false

    /// Creates a connection; blocks until the session is open.
    ///
    /// It blocks for up to `connectTimeout` for each address of a host. Then it needs one round trip, or two
    /// behind a pooler, to detect the pooler.
    ///
    /// - Parameter configuration: The server, the user and the options of the session.
    /// - Throws: ``PostgresError`` with code `connectionFailed`.
    public convenience init(_ configuration: ConnectionConfiguration) throws {
        try self.init(configuration, patience: Patience())
    }

    /// Creates a connection if the session opens before the patience ends.
    package init(_ configuration: ConnectionConfiguration, patience: Patience) throws {
        let handle = try Handshake.open(configuration, patience, notices: notices)
        self.handle = handle
        cache = StatementCache(capacity: configuration.statementCacheSize)
        statementTimeout = configuration.statementDeadline
        isAskedToReadOnly = configuration.isReadOnly
        isReadOnlySession = configuration.isReadOnly
        statementTag = configuration.statementTag.map { StatementTag($0) }
        isEncrypted = PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1
        canceller = Canceller(
            handle: howdah_make_cancel(handle), sessionShutdown: SessionShutdown(PQsocket(handle)))
        backendProcessID = PQbackendPID(handle)
        serverVersion = Int(PQserverVersion(handle))
        let limit = ContinuousClock.now + configuration.connectTimeout
        let detach = patience.cancelling?(canceller)
        defer { detach?() }
        do {
            try findPooler(configuration.pooler, until: patience.deadline.map { min($0, limit) } ?? limit)
        } catch var error as PostgresError {
            error.code = .connectionFailed
            error.phase = .connect
            error.mayHaveCommitted = false
            throw error
        }
    }

    deinit {
        passTally()
        close()
    }

    /// Ends the session; the server rolls back an open transaction. A second call has no effect.
    public func close() {
        guard let handle else { return }
        self.handle = nil
        canceller.invalidate()
        PQfinish(handle)
    }

    /// A Boolean value that indicates whether statements can be sent.
    ///
    /// It is false if the connection was closed, or was found to be lost.
    public var isUsable: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

    /// The status of the session's transaction after its last answer.
    public var transactionStatus: TransactionStatus {
        guard let handle else { return .unknown }
        return switch PQtransactionStatus(handle) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .inTransaction
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// The closure that is called with each notice of the server; without it notices are dropped.
    public var noticeHandler: ((Notice) -> Void)? {
        get { notices.handler }
        set { notices.handler = newValue }
    }

    /// Returns a setting that the server reports by itself, such as `server_version` or `TimeZone`.
    ///
    /// - Returns: The value; nil if the server does not report the setting, or if the connection is closed.
    public func parameterStatus(_ name: String) -> String? {
        handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
    }

    /// A Boolean value that indicates whether a pooler may change the server session between transactions.
    ///
    /// If it is true, nothing of a session lasts: no setting, temporary table, session lock or LISTEN.
    public var isPooled: Bool { pooling != .none }

    /// Calls `body`, in which statements have no time limit.
    package func withoutStatementTimeout<T>(_ body: () throws -> T) rethrows -> T {
        let timeout = statementTimeout
        statementTimeout = nil
        defer { statementTimeout = timeout }
        return try body()
    }

    /// Accepts statements again after ``Canceller/cancelUnitOfWork()``.
    public func resetCancellation() { canceller.reset() }

    /// Returns the object that cuts the session off from another thread; nil if the connection is closed.
    package func makeSessionShutdown() -> SessionShutdown? { handle.map { SessionShutdown(PQsocket($0)) } }

    /// Returns true if the session seems to exist still; needs no round trip.
    package func checkLiveness() -> Bool {
        guard let handle, activity == .ready else { return false }
        // A server says nothing to an idle session, except notices, and its farewell before the stream ends.
        while Socket.isReadable(PQsocket(handle)) {
            guard PQconsumeInput(handle) == 1 else {
                close()
                return false
            }
            _ = PQisBusy(handle)
        }
        return isUsable
    }
}
