package import Logging
public import PQClient
import Synchronization

/// The statements that a container sent to its database.
///
/// They always go to swift-log. They also go to memory while a program or a test records.
public final class StatementLog: Sendable {
    package let logger: Logger
    private let recording = Mutex<[StatementEvent]?>(nil)

    package init(logger: Logger) { self.logger = logger }

    /// Begins to record, with an empty record.
    public func start() { recording.withLock { $0 = [] } }

    /// Stops recording and clears the record.
    public func stop() { recording.withLock { $0 = nil } }

    /// The recorded statements since ``start()`` that read or write entity tables, in the order in which they
    /// ended.
    ///
    /// Transaction control, settings, checks of the store, the reservation of keys and statements that only
    /// write history are left out; ``events`` includes them.
    public var statements: [StatementEvent] { events.filter(Self.touchesEntities) }

    /// The number of recorded statements that read or write entity tables.
    public var count: Int { statements.count }

    /// All recorded events since ``start()``; empty if the log does not record.
    public var events: [StatementEvent] { recording.withLock { $0 ?? [] } }

    /// The closure that connections call after each statement.
    var observer: (StatementEvent) -> Void { observer { _ in false } }

    /// Returns the closure that connections call, if the caller expects some errors and reports them itself.
    func observer(expecting isExpected: @escaping (PostgresError) -> Bool) -> (StatementEvent) -> Void {
        { [self] event in note(event, isExpected) }
    }

    private func note(_ event: StatementEvent, _ isExpected: (PostgresError) -> Bool) {
        recording.withLock { $0?.append(event) }
        // After a COPY that row level security refuses, the rows are inserted by other statements.
        let level: Logger.Level =
            event.error.map { $0.isOfRefusedCopy || isExpected($0) ? .debug : .warning } ?? .debug
        guard logger.logLevel <= level else { return }
        logger.log(
            level: level, event.error == nil ? "statement" : "statement failed",
            metadata: [
                "sql": "\(event.sql)", "rows": "\(event.rows)", "duration": "\(event.duration)",
                "error": "\(event.error.map(\.description) ?? "-")",
            ])
    }

    private static func touchesEntities(_ event: StatementEvent) -> Bool {
        let controls = [
            "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET ", "DEALLOCATE",
            "SELECT pg_catalog.nextval", StoreMark.checkBeginning, StoreHistory.markBeginning,
            StoreHistory.upkeep,
        ]
        return !controls.contains { event.sql.hasPrefix($0) } && !StoreHistory.writesOnlyHistory(event.sql)
    }
}
