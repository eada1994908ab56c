import Foundation

/// What is left of a soak in this process and on the server.
enum SoakProcess {
    /// Indicates whether no other tests run in this process, so that its threads can be counted.
    static let isAlone = ProcessInfo.processInfo.environment["HOWDAH_ALONE"] == "1"

    /// The number of this process's threads; 0 if the system does not tell.
    static var threads: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
    }

    /// The sessions with a transaction.
    static let transactions = """
        SELECT pid, state, query FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL
        """

    /// The sessions of clients.
    static let sessions = """
        SELECT pid, state, query FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
        """

    /// The value, asked for again for up to fifteen seconds until it is the wanted one.
    static func settles<T: Equatable>(at wanted: T, _ value: () throws -> T) async throws -> T {
        for _ in 0..<150 {
            let found = try value()
            if found == wanted { return found }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try value()
    }
}
