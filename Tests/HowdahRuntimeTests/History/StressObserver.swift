import Foundation
import PQClient

/// A session of the test itself, which outlives crashes of the server.
final class StressObserver {
    private let url: String
    private let givesUp: () -> Bool
    private var connection: Connection?

    /// Creates an observer that no longer waits for the server as soon as `givesUp` returns `true`.
    init(_ url: String, givesUp: @escaping () -> Bool) {
        self.url = url
        self.givesUp = givesUp
    }

    deinit { connection?.close() }

    /// Runs a statement, again if the connection was lost. It may have run before then.
    ///
    /// On a loaded machine, the server may take minutes to recover from a crash.
    @discardableResult
    func query(_ sql: String, _ parameters: Parameters = Parameters()) throws -> QueryResult {
        let end = ContinuousClock.now + .seconds(900)
        while true {
            do {
                let connection = try self.connection ?? Connection(ConnectionConfiguration(url))
                if self.connection == nil {
                    self.connection = connection
                    _ = try connection.query("SET application_name = 'observer'")
                }
                return try connection.query(sql, parameters, cached: false)
            } catch {
                connection?.close()
                connection = nil
                guard .now < end, !givesUp() else { throw error }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// Returns the number that a statement selects; 0 for NULL.
    func number(_ sql: String) throws -> Int {
        try query(sql).first { $0[0].isNull ? 0 : Int($0[0].int64) } ?? 0
    }
}
