public import Logging
public import PQClient
import Synchronization

/// The statements that a container sent to its database.
///
/// They always go to swift-log, with OpenTelemetry's names as metadata. They also go to memory while a
/// program or a test records.
public final class StatementLog: Sendable {
    package let logger: Logger
    /// The listeners of the container.
    let listeners: StoreEvents
    private let levels: StatementLevels
    private let slowness: Duration?
    /// The time in nanoseconds from which a statement is slow.
    private let slowTime: Int64
    private let slow = SlowStatements()
    private let recording = Mutex<[StatementEvent]?>(nil)
    private let isRecording = Atomic<Bool>(false)

    package init(
        logger: Logger, levels: StatementLevels = StatementLevels(), slowerThan slowness: Duration? = nil,
        listeners: StoreEvents = StoreEvents()
    ) {
        self.logger = logger
        self.levels = levels
        self.slowness = slowness
        slowTime = slowness?.nanoseconds ?? .max
        self.listeners = listeners
    }

    /// Begins to record, with an empty record.
    public func start() {
        recording.withLock { $0 = [] }
        isRecording.store(true, ordering: .releasing)
    }

    /// Stops recording and clears the record.
    public func stop() {
        isRecording.store(false, ordering: .releasing)
        recording.withLock { $0 = nil }
    }

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

    /// Makes a connection report its statements.
    func attach(to connection: Connection) {
        connection.observer = observer
        connection.roundTripObserver = self
    }

    private func note(_ event: StatementEvent, _ isExpected: (PostgresError) -> Bool) {
        recording.withLock { $0?.append(event) }
        // An expected failure is an ordinary statement. After a COPY that row level security refuses, the rows are
        // inserted by other statements.
        // What the program cancelled is no failure either.
        let isOrdinary =
            event.error.map { $0.isOfRefusedCopy || $0.code == .cancelled || isExpected($0) } ?? true
        let level = isOrdinary ? levels.statement : levels.failure
        if logger.logLevel <= level {
            logger.log(
                level: level, event.error == nil ? "statement" : "statement failed",
                metadata: Self.metadata(of: event))
        }
    }

    /// Logs a round trip that was slow, once per text and minute.
    private func noteSlow(
        _ duration: Duration, _ error: PostgresError?, _ report: () -> StoreEvent.StatementReport
    ) {
        guard let slowness, duration >= slowness, logger.logLevel <= levels.slow else { return }
        let report = report()
        let text = report.text
        guard slow.isDue(text) else { return }
        var metadata: Logger.Metadata = [
            "db.system.name": "postgresql",
            "db.query.text": "\(text)",
            "db.client.operation.duration": .stringConvertible(duration.inSeconds),
        ]
        if let name = report.rowsName { metadata[name] = .stringConvertible(report.rows) }
        if let operation = report.operation {
            metadata["db.operation.name"] = "\(operation)"
            metadata["db.query.summary"] = "\(report.summary)"
        }
        if let error { Self.add(error, to: &metadata) }
        if let collection = report.collection { metadata["db.collection.name"] = "\(collection)" }
        if let size = report.batchSize { metadata["db.operation.batch.size"] = .stringConvertible(size) }
        logger.log(level: levels.slow, "slow statement", metadata: metadata)
    }

    /// Returns OpenTelemetry's names for an event.
    private static func metadata(of event: StatementEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "db.system.name": "postgresql",
            "db.query.text": "\(event.sql)",
            "db.client.operation.duration": .stringConvertible(event.duration.inSeconds),
        ]
        if event.error == nil,
            let name = StoreEvent.StatementReport.rowsName(
                of: event.subject?.operation.name, isOwnWriting: event.isOwnWriting)
        {
            metadata[name] = .stringConvertible(event.rows)
        }
        if let subject = event.subject {
            let (operation, collection) = (subject.operation.name, subject.collection)
            metadata["db.operation.name"] = "\(operation)"
            metadata["db.query.summary"] =
                "\([operation, collection].compactMap(\.self).joined(separator: " "))"
            if let collection { metadata["db.collection.name"] = "\(collection)" }
        }
        if let index = event.batchIndex { metadata["howdah.batch.index"] = .stringConvertible(index) }
        if let error = event.error { add(error, to: &metadata) }
        return metadata
    }

    private static func add(_ error: PostgresError, to metadata: inout Logger.Metadata) {
        metadata["error.type"] = "\(error.sqlState ?? error.code.description)"
        if let state = error.sqlState { metadata["db.response.status_code"] = "\(state)" }
        metadata["error.message"] =
            "\(error.description.split(whereSeparator: \.isNewline).joined(separator: " "))"
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

extension StatementLog: RoundTripObserver {
    package func need(after nanoseconds: Int64) -> ObserverNeed {
        if nanoseconds >= slowTime || isRecording.load(ordering: .acquiring)
            || logger.logLevel <= levels.statement
        {
            return .everything
        }
        return listeners.need
    }

    package func receive(_ tally: borrowing RoundTripTally) { listeners.pass(tally) }

    package func observe(_ statement: StatementEvent) {
        noteSlow(statement.duration, statement.error) { .init(statement) }
        listeners.emit(statement)
    }

    package func observe(_ trip: RoundTrip) {
        noteSlow(trip.duration, trip.error) { .init(trip) }
        listeners.emit(.statement(.init(trip)))
    }
}

/// The levels at which statements are logged.
public struct StatementLevels: Sendable {
    /// The level of statements that succeeded; debug by default.
    public var statement = Logger.Level.debug
    /// The level of statements that failed; warning by default.
    public var failure = Logger.Level.warning
    /// The level of slow statements, in addition; notice by default.
    public var slow = Logger.Level.notice

    /// Creates the default levels.
    public init() {}
}
