import HowdahModel
import HowdahRuntime
import PQClient
import Testing

@testable import HowdahBrowse

/// The report of the program that has mounted the pages.
@Suite struct ReportPageTests {
    @Test func theReportIsLinkedOnlyIfTheProgramCollects() async throws {
        try await Shop.withSite { site, container in
            #expect(try await !site.text("/").contains("href=\"/report\""))
            #expect(try await site.text("/report").contains("container.statistics.start()"))
            container.statistics.start()
            let text = try await site.text("/")
            #expect(text.contains("<li><a href=\"/report\">Report</a></li>"))
            #expect(try await site.text("/activity").contains("<a href=\"/report\">"))
        }
    }

    @Test func callSitesLoadsAndSlowStatementsAreTables() async throws {
        try await Shop.withSite { site, container in
            container.statistics.start()
            try await container.perform { context in
                let request = FetchRequest<ManagedObject>(entityName: "Employee").tagged("payroll")
                for employee in try context.fetch(request) {
                    _ = (employee["department"] as? ManagedObject)?["name"]
                }
                _ = try context.fetchRows(
                    String.self, sql: "SELECT pg_catalog.pg_sleep(0.6)::pg_catalog.text")
            }
            // A page can be slow too, and is no work of the program.
            try await container.perform { context in
                _ = try context.withConnection {
                    try $0.executeScript(
                        """
                        ALTER TABLE project RENAME TO slow;
                        CREATE VIEW project AS SELECT * FROM slow WHERE pg_sleep(0.6) IS NOT NULL
                        """)
                }
            }
            _ = try await site.text("/objects/Project")
            #expect(container.statistics.report.slowStatements.contains { $0.text.contains("project") })
            container.statementLog.start()
            let text = try await site.text("/report")
            #expect(!text.contains("&quot;project&quot; t0") && text.contains("without those of these pages"))
            #expect(container.statementLog.count == 0)
            let site = try #require(
                text.firstMatch(of: /<tr><th scope="row">payroll [^<]*<\/th>(.*)<\/tr>/))
            // The employees, and the departments of all of them.
            let cells = site.1.replacing(/<td[^>]*>/, with: "<td>")
            #expect(cells.hasPrefix("<td>2</td>") && cells.hasSuffix("<td>252</td><td>1</td><td>0</td>"))
            #expect(text.contains("Loads that cohorts made together") && text.contains("pg_sleep(0.6)"))
            #expect(text.contains("aria-current=\"page\">Report</a>"))
        }
    }
}
