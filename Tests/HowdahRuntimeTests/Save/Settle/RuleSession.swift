import Foundation
import Howdah
import PQClient

/// A session on a store's database that several threads may use one after the other.
///
/// `@unchecked Sendable` is sound: the connection is only used with the lock held.
final class RuleSession: @unchecked Sendable {
    private let lock = NSLock()
    private let connection: Connection

    init(_ url: String) throws { connection = try Connection(ConnectionConfiguration(url)) }

    deinit { connection.close() }

    /// Runs a statement; all parameters and columns are `bigint`.
    @discardableResult
    func run(_ sql: String, _ keys: Int64...) throws -> [[Int64?]] {
        var parameters = Parameters()
        for key in keys { parameters.append(key) }
        let bound = parameters
        return try lock.withLock {
            let result = try connection.query(sql, bound)
            return result.map { row in
                (0..<result.columnCount).map { row[$0].isNull ? nil : row[$0].int64 }
            }
        }
    }

    /// Suspends until a session waits for a lock.
    func untilBlocked() async throws {
        // A lock of a row is waited for as that of a transaction, which belongs to no database.
        let sql = """
            SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE NOT l.granted AND a.datname = current_database()
            """
        while try run(sql)[0][0] == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
}
