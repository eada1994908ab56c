import HowdahModel
import PQClient
import Synchronization

/// A cursor of the server, which returns a result in parts.
struct BatchCursor {
    private static let count = Atomic<UInt64>(0)

    private let connection: Connection
    private let name: String
    private let isHeld: Bool
    private let subject: StatementSubject

    /// Opens the cursor. Outside of a transaction the server keeps the result until the cursor is closed.
    init(_ statement: FetchStatement, on connection: Connection) throws {
        self.connection = connection
        subject = statement.subject
        name = "howdah_batches_\(Self.count.add(1, ordering: .relaxed).newValue)"
        isHeld = connection.transactionStatus == .idle
        let words = "DECLARE \(name) NO SCROLL CURSOR \(isHeld ? "WITH HOLD " : "")FOR "
        _ = try connection.query(
            words + statement.sql, statement.parameters, cached: false, about: subject.with(.declare))
    }

    /// Returns the next rows, at most `count`; none at the end.
    func next(_ count: Int) throws -> QueryResult {
        try connection.query(
            "FETCH FORWARD \(SQLLiteral.integer(count)) FROM \(name)", cached: false, about: subject)
    }

    /// Makes the server drop the result; if that fails, by closing the session.
    func close() {
        // The end of a transaction that failed closes its cursors.
        guard connection.isUsable, isHeld || connection.transactionStatus == .inTransaction else { return }
        do {
            _ = try connection.query("CLOSE \(name)", cached: false, about: subject.with(.close))
        } catch {
            if isHeld { connection.close() }
        }
    }
}
