import Foundation
import HowdahBrowse
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Tables of many rows.
@Suite struct LargeTableTests {
    /// Runs `body` with a site over a number of employees with long notes.
    private func withSite(
        _ count: Int, _ body: (BrowseSite, PersistentContainer) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows(
                """
                INSERT INTO employee (_id, _version, _entity, name, salary, is_active, notes)
                SELECT n, 1, 'Employee', 'Person ' || n, n % 1000, true, repeat('long ', 200)
                FROM generate_series(1, \(count)) n
                """)
            try sql.rows("ANALYZE employee")
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            container.statementLog.start()
            try await body(BrowseSite(container) { _ in .read }, container)
            await container.close()
        }
    }

    @Test func pagesCostTheSameAnywhere() async throws {
        let count = TestTier.choose(quick: 50_000, all: 200_000, nightly: 200_000)
        try await withSite(count) { site, container in
            var times: [Duration] = []
            var target = "/objects/Employee?rows=250"
            for _ in 0..<20 {
                var text = ""
                times.append(try await ContinuousClock().measure { text = try await site.text(target) })
                let words =
                    times.count == 1
                    ? /of about [0-9,]+ by the plan/ : /of about [0-9,]+ from here on by the plan/
                #expect(text.utf8.count < 250_000 && text.contains(words))
                let next = try #require(text.firstMatch(of: /href="([^"]*)" rel="next"/)?.1)
                target = String(next).replacing("&amp;", with: "&")
            }
            #expect(container.statementLog.count == 40)
            let last = times.suffix(5).min() ?? .zero
            #expect(last < .seconds(2))
            print("browse: \(count) rows, first page \(times[0]), best of the last five \(last)")
            let entities = try await site.text("/")
            #expect(entities.contains("≈ \(count / 1000),000"))
        }
    }

    @Test("An estimate that is less than the page is not shown, and one before a cursor says so")
    func estimatesFitTheirPage() async throws {
        try await withSite(1_000) { site, container in
            let list = try await site.text("/objects/Employee")
            let next = try #require(list.firstMatch(of: /href="([^"]*)" rel="next"/)?.1)
            let second = try await site.text(String(next).replacing("&amp;", with: "&"))
            let back = try #require(second.firstMatch(of: /href="([^"]*)" rel="next"/)?.1)
                .replacing("&amp;", with: "&").replacing("after=", with: "before=")
            #expect(try await site.text(String(back)).contains("up to here by the plan"))
            try await container.perform { context in
                _ = try context.withConnection {
                    try $0.executeScript(
                        "UPDATE employee SET salary = 5; ANALYZE employee; UPDATE employee SET salary = 7")
                }
            }
            let wrong = try await site.text("/objects/Employee?where=salary%20%3D%3D%207")
            #expect(wrong.contains("50 objects, of more than 50"))
        }
    }

    @Test func wholeTableScansHaveAWarning() async throws {
        try await withSite(20_000) { site, _ in
            let text = try await site.text("/objects/Employee?where=notes%20CONTAINS%20%22none%22")
            #expect(text.contains("No object matches.") && text.contains("class=\"warning\""))
            #expect(text.contains("No fetch index serves CONTAINS in a filter."))
            // The warning is above the table.
            let parts = text.split(separator: "role=\"status\"")
            #expect(parts.first?.contains("No fetch index serves") == true)
            let quick = try await site.text("/objects/Employee")
            #expect(!quick.contains("class=\"warning\""))
        }
    }

    @Test func stoppedFetchesShowTheirPlanAndAnIndex() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            let sql = PlainSQL(url: database.url)
            try sql.rows("ALTER TABLE employee RENAME TO slow")
            try sql.rows("CREATE VIEW employee AS SELECT * FROM slow WHERE pg_sleep(0.1) IS NOT NULL")
            let site = BrowseSite(container) { _ in .read }
            let start = ContinuousClock.now
            let text = try await site.text(
                "/objects/Employee?where=salary%20%3E%201&sort=-name", status: 503)
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(text.contains("FetchIndexDescription(&quot;by_salary&quot;, on: &quot;salary&quot;)"))
            #expect(text.contains("was stopped") && text.contains("<h2>Plan</h2>"))
            // The statement is among those that were sent, and its plan is shown.
            #expect(text.contains("<details class=\"sent\" open>"))
            #expect(text.contains(/2 statements, 2\d\d\d\./))
            #expect(text.contains("stopped after 2000.00 ms"))
            let pattern = try await site.text(
                "/objects/Employee?where=name%20CONTAINS%20%22x%22&sort=-name", status: 503)
            #expect(pattern.contains("No fetch index serves CONTAINS in a filter."))
            #expect(!pattern.contains("FetchIndexDescription"))
            await container.close()
        }
    }
}
