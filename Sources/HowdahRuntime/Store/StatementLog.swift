package import Logging
public import PQClient
import Synchronization

/// What a container sent to its database: always to swift-log, and to memory while a program or a test records.
public final class StatementLog: Sendable {
    package let logger: Logger
    private let recording = Mutex<[StatementEvent]?>(nil)

    package init(logger: Logger) { self.logger = logger }

    /// Begins to record, from nothing.
    public func start() { recording.withLock { $0 = [] } }

    /// Stops recording and forgets what was recorded.
    public func stop() { recording.withLock { $0 = nil } }

    /// What was recorded since ``start()``: statements that read or write entity tables, in the order they ended.
    ///
    /// Transaction control, settings, looks for the store and the taking of keys are left out; ``events`` has them too.
    public var statements: [StatementEvent] { events.filter(Self.touchesEntities) }

    /// How many statements that read or write entity tables were recorded.
    public var count: Int { statements.count }

    /// Everything recorded since ``start()``.
    public var events: [StatementEvent] { recording.withLock { $0 ?? [] } }

    /// What connections call after each statement.
    var observer: (StatementEvent) -> Void {
        { [self] event in note(event) }
    }

    private func note(_ event: StatementEvent) {
        recording.withLock { $0?.append(event) }
        let level: Logger.Level = event.error == nil ? .debug : .warning
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
            "SELECT pg_catalog.nextval", StoreMark.checkBeginning,
        ]
        return !controls.contains { event.sql.hasPrefix($0) }
    }
}
