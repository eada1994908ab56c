import Foundation

/// What is left of a soak in this process and on the server.
enum SoakProcess {
    /// Indicates whether no other tests run in this process, so that its threads can be counted.
    static let isAlone = ProcessInfo.processInfo.environment["HOWDAH_ALONE"] == "1"

    /// The names of this process's threads, each with what it waits for; empty if the system does not tell.
    static var threads: [String] {
        let tasks = "/proc/self/task"
        func text(_ file: String) -> String {
            (try? String(contentsOfFile: file, encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? "?"
        }
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).sorted().map {
            "\($0) \(text("\(tasks)/\($0)/comm")) \(text("\(tasks)/\($0)/wchan"))"
        }
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
