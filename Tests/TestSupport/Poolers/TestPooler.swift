import Foundation
import HowdahTesting

/// The PgBouncer that the stores of all tests are behind, if `HOWDAH_TEST_POOLER` is `transaction` or `session`.
///
/// ``withTestStore(_:options:_:)`` and ``withTestDatabase(for:options:_:)`` lead to it. What
/// tests do behind a store's back goes to the server itself.
package enum TestPooler {
    /// The pool mode; nil if stores have connections of their own.
    package static let mode = ProcessInfo.processInfo.environment["HOWDAH_TEST_POOLER"]
        .flatMap { PgBouncer.PoolMode(rawValue: $0) }

    private static let started: Result<PgBouncer, any Error>? = mode.map { mode in
        Result {
            var options = PgBouncer.Options()
            options.poolMode = mode
            // Fewer than the connections of a container, and enough for tests that block several.
            options.poolSize = mode == .session ? 40 : 10
            // Each unit of work meets another session than the one before.
            options.settings = ["server_round_robin": "1", "max_client_conn": "2000"]
            return try PgBouncer(EphemeralPostgres.shared().url(), options: options)
        }
    }

    /// The connection string that a store is opened with.
    package static func pooled(_ url: String) throws -> String { try started?.get().url(through: url) ?? url }

    /// The connection string of the server itself.
    package static func direct(_ url: String) -> String {
        guard let pooler = try? started?.get() else { return url }
        return pooler.directURL(of: url)
    }
}
