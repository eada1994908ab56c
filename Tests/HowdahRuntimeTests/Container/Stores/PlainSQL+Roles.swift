import Foundation
import TestSupport

extension PlainSQL {
    /// The connection string with another role, past a pooler.
    func url(as role: String) -> String {
        let direct = TestPooler.direct(url)
        return direct.contains("user=")
            ? direct.replacing(/user=[^&\s]*/, with: "user=\(role)") : direct + " user=\(role)"
    }

    /// Runs `body` with a role that can log in, and drops it.
    nonisolated(nonsending)
        func withRole<T>(_ body: (String) async throws -> T) async throws -> T
    {
        let role = "guest_\(UUID().uuidString.prefix(8).lowercased())"
        try rows("CREATE ROLE \(role) LOGIN")
        defer {
            _ = try? rows("DROP OWNED BY \(role)")
            _ = try? rows("DROP ROLE \(role)")
        }
        return try await body(role)
    }
}
