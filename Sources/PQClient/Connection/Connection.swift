internal import CLibPQ

/// One session with a PostgreSQL server; every call blocks its thread.
///
/// Not Sendable: one thread at a time uses it, and only ``canceller`` may be touched from others. Calls nest
/// nowhere: inside the body of a COPY, or an observer, the connection cannot be used.
public final class Connection {
    enum Activity { case ready, busy }

    var handle: OpaquePointer?
    var activity = Activity.ready
    var cache: StatementCache
    let statementDeadline: Duration?
    let isEncrypted: Bool
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
    /// The process that serves this session.
    public let backendProcessID: Int32
    /// The server's version as libpq counts, 150018 for 15.18.
    public let serverVersion: Int

    /// Connects; blocks for up to `connectTimeout` per host.
    ///
    /// - Throws: ``PostgresError`` with code `connectionFailed`.
    public init(_ configuration: ConnectionConfiguration) throws {
        let handle = try Handshake.open(configuration, notices: notices)
        self.handle = handle
        cache = StatementCache(capacity: configuration.statementCacheSize)
        statementDeadline = configuration.statementDeadline
        isEncrypted = PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1
        canceller = Canceller(handle: PQgetCancel(handle))
        backendProcessID = PQbackendPID(handle)
        serverVersion = Int(PQserverVersion(handle))
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
