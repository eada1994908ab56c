import HowdahBrowse
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The exact number of objects, which is counted only on request.
@Suite struct ExactCountTests {
    @Test func theFilterIsCountedWithOneMoreStatement() async throws {
        try await Shop.withSite { site, container in
            let filter = "where=salary%20%3E%20100"
            let page = try await site.text("/objects/Employee?\(filter)&sort=-name")
            let link = "/objects/Employee?where=salary%20%3E%20100&amp;sort=-name&amp;count=exact"
            #expect(page.contains("<a href=\"\(link)\">Count exactly</a>"))
            container.statementLog.start()
            let counted = try await site.text(link.replacing("&amp;", with: "&"))
            #expect(counted.contains("Counted: 150 objects."))
            #expect(container.statementLog.count == 3)
            let sql = try #require(container.statementLog.statements.last?.sql)
            #expect(sql.contains("FROM (SELECT 1 ") && sql.contains("LIMIT $2") && !sql.contains("ORDER BY"))
            // The next page is not counted again.
            let next = try #require(counted.firstMatch(of: /href="([^"]*)" rel="next"/)?.1)
            #expect(!next.contains("count="))
        }
    }

    @Test func membersOfAnObjectAreCounted() async throws {
        try await Shop.withSite { site, _ in
            let list = try await site.text("/objects/Department")
            let key = try #require(list.firstMatch(of: /\/object\/Department\/(\d+)/)?.1)
            let text = try await site.text("/objects/Employee?of=Department/\(key)/employees&count=exact")
            #expect(text.contains("Counted: 100 objects."))
        }
    }

    @Test func largeNumbersHaveALimitAndSlowCountsEnd() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows(
                """
                INSERT INTO project (_id, _version, title)
                SELECT n, 1, 'Project ' || n FROM generate_series(1, 100001) n
                """)
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let site = BrowseSite(container) { _ in .read }
            let address = "/objects/Project?count=exact"
            #expect(try await site.text(address).contains("Counted: more than 100,000 objects."))
            let filter = "&where=title%20!=%20%22Project%207%22"
            #expect(try await site.text(address + filter).contains("Counted: 100,000 objects."))
            try sql.rows("ALTER TABLE project RENAME TO slow")
            try sql.rows(
                "CREATE VIEW project AS SELECT * FROM slow WHERE _id <= 51 OR pg_sleep(0.1) IS NOT NULL")
            let text = try await site.text(address)
            #expect(text.contains("Counted: unknown, because counting took longer than 2 s."))
            #expect(text.contains("Project 50<"))
            await container.close()
        }
    }
}
