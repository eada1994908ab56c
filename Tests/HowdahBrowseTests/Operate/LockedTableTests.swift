import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// The pages while another session has a table locked, as a migration does.
@Suite struct LockedTableTests {
    @Test("A locked table ends no page that can do without it")
    func pagesGoOn() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            let site = BrowseSite(container) { _ in .read }
            let holder = try Connection(ConnectionConfiguration(database.url))
            try holder.executeScript("BEGIN; LOCK TABLE department IN ACCESS EXCLUSIVE MODE")
            let first = try await site.text("/")
            #expect(first.contains("<a href=\"/activity\">locked</a>"))
            #expect(first.matches(of: /class="number">\d[^<]*B</).count >= 2)
            let migrations = try await site.text("/migrations")
            #expect(migrations.contains("A table is locked, so the tables were not compared"))
            let objects = try await site.text("/objects/Department", status: 503)
            #expect(objects.contains("See Activity for the session that holds the lock"))
            #expect(!objects.contains("skippingLocked"))
            try holder.executeScript("ROLLBACK")
            #expect(try await !site.text("/").contains(">locked<"))
            #expect(try await !site.text("/migrations").contains("not compared"))
            // A column that another program changed meanwhile.
            try holder.executeScript("ALTER TABLE project RENAME COLUMN title TO heading")
            let changed = try await site.text("/objects/Project", status: 503)
            #expect(changed.contains("The tables differ from the model"))
            await container.close()
        }
    }
}
