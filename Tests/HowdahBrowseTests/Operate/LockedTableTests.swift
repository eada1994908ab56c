import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// The pages while another session has a table locked, as a migration does.
@Suite struct LockedTableTests {
    @Test("A locked table ends no page that can do without it, within the limit")
    func pagesGoOn() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let gate = BrowseGate(port: 8_080)
            let site = try await BrowseSite.opening(database.url, gate: gate)
            func text(_ page: String, status: Int = 200) async throws -> String {
                let response = await site.respond(to: gate.request(page))
                let text = try await response.text()
                #expect(response.status == status, "\(page): \(text.suffix(600))")
                return text
            }
            try PlainSQL(url: database.url).rows(
                "INSERT INTO department (_id, _version, name) VALUES (1, 1, 'A')")
            let holder = try Connection(ConnectionConfiguration(database.url))
            try holder.executeScript("BEGIN; LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
            let start = ContinuousClock.now
            let objects = try await text("/objects/Employee", status: 503)
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(objects.contains("Another session has a table of the page locked"))
            #expect(objects.contains("See Activity for the session that holds the lock"))
            #expect(objects.contains("or the prepared transaction, and retry"))
            #expect(!objects.contains("skippingLocked"))
            #expect(objects.contains("aria-label=\"Pages above\"") && objects.contains(">Employee</a>"))
            // Nobody waits for the lock now.
            let activity = try await text("/activity")
            #expect(activity.contains(/<h2 id="locks">Locked tables<\/h2>/))
            #expect(activity.contains(/row">employee<\/th><td>ACCESS EXCLUSIVE<\/td><td[^>]*>\d+</))
            #expect(objects.contains("<a href=\"/activity#locks\">The locked tables"))
            for page in ["/doctor", "/activity", "/structure/Employee", "/objects/Department"] {
                _ = try await text(page)
            }
            let object = try await text("/object/Department/1")
            #expect(object.contains("Another session has the table of Employee locked"))
            let first = try await text("/")
            #expect(first.contains("<a href=\"/activity#locks\">locked</a>"))
            #expect(first.matches(of: /class="number">\d[^<]*B</).count >= 2)
            #expect(
                try await text("/migrations").contains("A table is locked, so the tables were not compared"))
            holder.close()
            #expect(try await text("/activity").contains("No session has a table of the store locked"))
            #expect(try await !text("/objects/Employee").contains("shown by their keys"))
            #expect(try await !text("/").contains(">locked<"))
            #expect(try await !text("/migrations").contains("not compared"))
            // Related objects have labels in a locked table.
            let other = try Connection(ConnectionConfiguration(database.url))
            try other.executeScript("BEGIN; LOCK TABLE department IN ACCESS EXCLUSIVE MODE")
            #expect(try await text("/objects/Employee").contains("so they are shown by their keys"))
            // So are the values of the relationship.
            let values = try await text("/values/Employee/department")
            #expect(values.contains("so they are shown by their keys") && values.contains("values among"))
            other.close()
            await site.close()
        }
    }

    @Test("A session that waits for a lock is listed, because it keeps others out")
    func waitingLocks() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let gate = BrowseGate(port: 8_080)
            let site = try await BrowseSite.opening(database.url, gate: gate)
            let reader = try Connection(ConnectionConfiguration(database.url))
            try reader.executeScript("BEGIN; SELECT 1 FROM employee")
            let waiter = Task.detached {
                let connection = try Connection(ConnectionConfiguration(database.url))
                defer { connection.close() }
                try connection.executeScript(
                    "SET lock_timeout = '60s'; BEGIN; LOCK TABLE employee IN ACCESS EXCLUSIVE MODE; COMMIT")
            }
            var text = ""
            for _ in 0..<200 where !text.contains("waits for it") {
                text = try await site.respond(to: gate.request("/activity")).text()
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(text.contains(/row">employee<\/th><td>ACCESS EXCLUSIVE, waits for it<\/td>/))
            reader.close()
            try await waiter.value
            await site.close()
        }
    }
}
