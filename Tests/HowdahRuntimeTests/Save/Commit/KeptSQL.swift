import PQClient
import Synchronization
import TestSupport

/// SQL that does not go through the library, on one connection that is kept: what is asked hundreds of times needs no
/// session of its own each time.
final class KeptSQL: Sendable {
    private let connection: Mutex<Connection>

    init(_ url: String) throws {
        connection = Mutex(try Connection(ConnectionConfiguration(TestPooler.direct(url))))
    }

    /// Runs a statement; all columns must be text.
    @discardableResult
    func rows(_ sql: String) throws -> [[String?]] {
        try connection.withLock { connection in
            let result = try connection.query(sql, cached: false)
            return (0..<result.rowCount).map { index in
                (0..<result.columnCount).map {
                    result.row(index)[$0].isNull ? nil : result.row(index)[$0].string()
                }
            }
        }
    }

    /// The only value of a statement.
    func value(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    func close() { connection.withLock { $0.close() } }
}
