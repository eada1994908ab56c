internal import CLibPQ
package import Foundation

/// One session with a PostgreSQL server; every call blocks its thread.
///
/// Not Sendable: one thread at a time uses it, and only ``canceller`` may be touched from others. Calls nest
/// nowhere: inside the body of a COPY, or an observer, the connection cannot be used.
public final class Connection {
    enum Activity { case ready, busy }

    var handle: OpaquePointer?
    var activity = Activity.ready
    var cache: StatementCache
    let isEncrypted: Bool
    /// The way in which a pooler before the server treats statements.
    var pooling = Pooling.none
    /// A comment that tells texts of this program from equal ones whose columns had other types, for translating poolers.
    var statementTag: StatementTag?
    /// The time after which a statement other than COPY is cancelled; nil for no limit.
    package var statementTimeout: Duration?
    /// Indicates whether names mean PostgreSQL's own operators and types before others; nil if that was not asked.
    package var findsOwnNamesFirst: Bool?
    /// Indicates whether the session enforces constraints against a setting of its role.
    var enforcesConstraints = false
    /// The store whose lock the session holds, as the owner of the connection noted; nil if it holds none.
    package var markedStore: UUID?
    /// Indicates whether the program itself sent SQL, which may have changed the session.
    package var mayBeChanged = false
    /// Indicates whether the server refused to write, as a primary does that has become a standby.
    var isReadOnly = false
    /// Indicates whether the last transaction was opened READ ONLY.
    var isAskedToReadOnly = false
    private let notices = NoticeReceiver()
    /// The SQLSTATE that the open transaction failed with, where it did.
    var failedState: String?

    /// When the current unit of work must end. A statement that runs then is cancelled; when the server does not
    /// answer the cancel request within a second, the connection is closed. Either throws code `deadlineExceeded`.
    public var deadline: ContinuousClock.Instant?
    /// Called after each statement, on the same thread; nil costs nothing.
    public var observer: ((StatementEvent) -> Void)?
    /// Ends the running statement from any thread.
    public let canceller: Canceller
    /// The process that serves this session; a number that a pooler made up, if ``isPooled``.
    public let backendProcessID: Int32
    /// The server's version as libpq counts, 150018 for 15.18.
    public let serverVersion: Int

    /// Indicates whether the connection is closed at the deadline, without a cancel request and the second that the server has
    /// to answer it.
    package var givesUpAtDeadline = false

    /// Connects; blocks for up to `connectTimeout` per address of a host, and for one round trip, or behind a pooler
    /// two, to find out whether there is a pooler.
    ///
    /// - Throws: ``PostgresError`` with code `connectionFailed`.
    public convenience init(_ configuration: ConnectionConfiguration) throws {
        try self.init(configuration, patience: Patience())
    }

    /// Connects for as long as the patience lasts.
    package init(_ configuration: ConnectionConfiguration, patience: Patience) throws {
        let handle = try Handshake.open(configuration, patience, notices: notices)
        self.handle = handle
        cache = StatementCache(capacity: configuration.statementCacheSize)
        statementTimeout = configuration.statementDeadline
        statementTag = configuration.statementTag.map { StatementTag($0) }
        isEncrypted = PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1
        canceller = Canceller(handle: howdah_make_cancel(handle), severance: Severance(PQsocket(handle)))
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

    deinit { close() }

    /// Ends the session; an open transaction is rolled back by the server. Closing twice is harmless.
    public func close() {
        guard let handle else { return }
        self.handle = nil
        canceller.invalidate()
        PQfinish(handle)
    }

    /// Whether statements can still be sent; false once the connection was closed or found to be lost.
    public var isUsable: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

    /// Where the session stands with regard to transactions, as of its last answer.
    public var transactionStatus: TransactionStatus {
        guard let handle else { return .unknown }
        return switch PQtransactionStatus(handle) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .inTransaction
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// Called with each notice of the server; without it notices are dropped.
    public var noticeHandler: ((Notice) -> Void)? {
        get { notices.handler }
        set { notices.handler = newValue }
    }

    /// A setting the server reports by itself, as `server_version` or `TimeZone`.
    public func parameterStatus(_ name: String) -> String? {
        handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
    }

    /// Indicates whether a pooler gives this client other sessions of the server from one transaction to the next, as far
    /// as is known.
    ///
    /// Nothing of a session lasts then: no setting, temporary table, session lock or LISTEN.
    public var isPooled: Bool { pooling != .none }

    /// Runs `body`, in which statements may take as long as they need.
    package func withoutStatementTimeout<T>(_ body: () throws -> T) rethrows -> T {
        let timeout = statementTimeout
        statementTimeout = nil
        defer { statementTimeout = timeout }
        return try body()
    }

    /// Lets statements run again after ``Canceller/cancelUnitOfWork()``.
    public func resetCancellation() { canceller.reset() }

    /// What cuts the session off from another thread; nil once it was closed.
    package func makeSeverance() -> Severance? { handle.map { Severance(PQsocket($0)) } }

    /// Whether the session is still there, as far as can be told without a round trip.
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
