import PQClient

/// Records the statements of one page, also if the program observes none, and passes them on.
final class StatementRecorder: RoundTripObserver {
    private(set) var statements: [SentStatement] = []
    private let next: (any RoundTripObserver)?
    private let own: OwnStatements

    /// - Parameter next: The observer of the connection; nil if it must not receive the statements.
    init(passingTo next: (any RoundTripObserver)?, noting own: OwnStatements) {
        (self.next, self.own) = (next, own)
    }

    func need(after nanoseconds: Int64) -> ObserverNeed { .everything }

    func receive(_ tally: borrowing RoundTripTally) { next?.receive(tally) }

    func observe(_ statement: StatementEvent) {
        own.note(statement.sql)
        statements.append(
            SentStatement(sql: statement.sql, duration: statement.duration, rows: statement.rows))
        next?.observe(statement)
    }

    func observe(_ trip: RoundTrip) {
        own.note(trip.texts.joined(separator: "; "))
        statements += trip.texts.map { SentStatement(sql: $0, duration: trip.duration, rows: trip.rows) }
        next?.observe(trip)
    }
}

/// A statement that a page sent, for its foot.
struct SentStatement: Sendable {
    let sql: String
    let duration: Duration
    let rows: Int
    /// Indicates whether the server stopped it, because it took too long.
    var isStopped = false

    /// Indicates whether it only begins, limits or ends the transaction of the page.
    var isControl: Bool {
        ["BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET "]
            .contains { sql.hasPrefix($0) }
    }
}
