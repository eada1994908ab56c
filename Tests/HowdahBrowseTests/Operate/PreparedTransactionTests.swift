import Foundation
import HowdahRuntime
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Locks that no session holds.
@Suite struct PreparedTransactionTests {
    @Test("A session that waits for prepared transactions names those that hold its lock, and what ends them")
    func waitsNamePreparedTransactions() async throws {
        let cluster = try await onThread { () throws(LocalPostgresError) in
            try LocalCluster.start(settings: ["max_prepared_transactions": "4"])
        }
        let url = cluster.url()
        let container = try await PersistentContainer.open(url, model: Shop.model())
        let site = BrowseSite(container) { _ in .read }
        #expect(try await !site.text("/activity").contains("Prepared transactions"))
        try await onThread {
            let holder = try Connection(ConnectionConfiguration(url))
            try holder.executeScript(
                "BEGIN; LOCK TABLE project IN SHARE UPDATE EXCLUSIVE MODE; PREPARE TRANSACTION 'it''s one'")
            try holder.executeScript(
                "BEGIN; LOCK TABLE project IN ROW SHARE MODE; PREPARE TRANSACTION 'harmless'")
            try holder.executeScript(
                "BEGIN; LOCK TABLE employee IN ACCESS EXCLUSIVE MODE; PREPARE TRANSACTION 'elsewhere'")
            holder.close()
        }
        var configuration = try ConnectionConfiguration(url)
        configuration.applicationName = "waiter"
        let waiting = configuration
        async let waiter: Void = onThread {
            let connection = try Connection(waiting)
            try connection.executeScript("BEGIN; LOCK TABLE project IN SHARE MODE; COMMIT")
            connection.close()
        }
        var text = ""
        for _ in 0..<200 where !text.contains("waits for the prepared") {
            text = try await site.text("/activity")
        }
        #expect(text.contains(#/waiter \d+ waits for the prepared transaction it&\#39;s one: /#), "\(text)")
        #expect(text.contains("<code>ROLLBACK PREPARED &#39;harmless&#39;</code>"))
        #expect(text.contains("COMMIT PREPARED &#39;it&#39;&#39;s one&#39;"))
        #expect(!text.contains("waits for 0"))
        try PlainSQL(url: url).rows("ROLLBACK PREPARED 'it''s one'")
        try await waiter
        await container.close()
        _ = await onThread { cluster.stop(.immediate) }
    }

    @Test("Modes of locks exclude each other as the server's do, in both directions")
    func modesConflict() throws {
        let modes = [
            "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock",
            "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock",
        ]
        let counts = modes.map { mode in modes.filter { PreparedTransaction.conflicts(mode, $0) }.count }
        #expect(counts == [1, 2, 4, 5, 5, 6, 7, 8])
        for one in modes {
            for other in modes {
                #expect(
                    PreparedTransaction.conflicts(one, other) == PreparedTransaction.conflicts(other, one))
            }
        }
    }
}
