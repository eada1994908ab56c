import HowdahModel
import HowdahRuntime
import PQClient

/// Reads a container for one page, in a read-only transaction with time limits.
struct BrowseReader: Sendable {
    let container: PersistentContainer
    /// The statements that were read with.
    let own = OwnStatements()

    /// The result of a page's reading and the statements that it sent.
    struct Reading<Value: Sendable>: Sendable {
        let value: Value
        let sent: [SentStatement]
    }

    /// The transaction of one page.
    struct Session {
        let context: ManagedObjectContext
        let connection: Connection
    }

    /// Runs `body` in one snapshot that cannot write. Statements end after two seconds, waits for locks after one.
    ///
    /// - Parameters:
    ///   - undoing: Indicates whether the transaction is rolled back, so that settings do not stay.
    ///   - isPrivate: Indicates whether the statements stay out of the program's log, because their texts may have
    ///     values.
    /// - Throws: The error of the body; the errors of `PersistentContainer.perform`.
    func read<Value: Sendable>(
        undoing: Bool = false, isPrivate: Bool = false, _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws -> Reading<Value> {
        do {
            return try await container.perform(isolation: .repeatableRead) { context in
                let reading = try context.withConnection { connection in
                    try run(body, Session(context: context, connection: connection), isPrivate)
                }
                if undoing { throw Undone(reading: reading) }
                return reading
            }
        } catch let undone as Undone<Value> {
            return undone.reading
        }
    }

    private func run<Value: Sendable>(
        _ body: (Session) throws -> Value, _ session: Session, _ isPrivate: Bool
    ) throws -> Reading<Value> {
        let connection = session.connection
        let (observer, roundTripObserver) = (connection.observer, connection.roundTripObserver)
        let recorder = StatementRecorder(passingTo: isPrivate ? nil : roundTripObserver, noting: own)
        connection.roundTripObserver = recorder
        if isPrivate { connection.observer = nil }
        // Statements that succeed are reported only if the connection has an observer.
        if connection.observer == nil { connection.observer = { _ in } }
        defer { (connection.observer, connection.roundTripObserver) = (observer, roundTripObserver) }
        try connection.executeScript(Self.settings)
        let value = try body(session)
        return Reading(value: value, sent: recorder.statements.filter { !$0.isControl })
    }

    /// The limits of a page, and the forms of values as text, which a role or a database can set to others.
    private static let settings = """
        SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = '2s'; SET LOCAL lock_timeout = '1s'; \
        SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL "DateStyle" = 'ISO, YMD'; \
        SET LOCAL "TimeZone" = 'UTC'; SET LOCAL "IntervalStyle" = 'postgres'; SET LOCAL bytea_output = 'hex'; \
        SET LOCAL extra_float_digits = 1; SET LOCAL standard_conforming_strings = on
        """

    private struct Undone<Value: Sendable>: Error {
        let reading: Reading<Value>
    }
}
