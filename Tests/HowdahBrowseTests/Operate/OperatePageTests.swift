import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Pages about the state of the store and its server.
@Suite struct OperatePageTests {
    /// Returns the response to the form of the SQL page.
    private func run(_ query: String, on site: BrowseSite) async throws -> (Int, String) {
        let response = await site.respond(
            to: BrowseRequest(
                method: "POST", target: "/sql",
                headers: [
                    ("Host", "app.example"), ("Origin", "https://app.example"),
                    ("Sec-Fetch-Site", "same-origin"),
                ], body: Array("query=\(FormText.encoded(query))".utf8)))
        return (response.status, try await response.text())
    }

    @Test func migrationsShowTheRecord() async throws {
        try await Shop.withSite { site, container in
            let text = try await site.text("/migrations")
            #expect(
                text.contains(container.model.versionChecksum)
                    && text.contains("All migrations that began are finished."))
            #expect(text.contains(container.storeIdentifier.uuidString))
        }
    }

    @Test func tablesThatDifferAreListed() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let site = BrowseSite(container) { _ in .read }
            #expect(try await site.text("/migrations").contains("have the columns, indexes and constraints"))
            let sql = PlainSQL(url: database.url)
            try sql.rows("ALTER TABLE project DROP COLUMN title")
            try sql.rows("ALTER TABLE department DROP CONSTRAINT IF EXISTS department_name_key")
            try sql.rows("ALTER TABLE employee DROP CONSTRAINT employee_department_fkey")
            let text = try await site.text("/migrations")
            #expect(text.contains("Differences from the model") && text.contains("title"))
            #expect(text.contains("employee_department_fkey"))
            await container.close()
        }
    }

    @Test func theDoctorReports() async throws {
        try await Shop.withSite { site, container in
            let text = try await site.text("/doctor")
            #expect(text.contains("Checks of the store and its server") && text.contains(">encoding</th>"))
            // The limit that the diagnosis sets for its session does not stay.
            let limit = try await container.perform { context in
                try context.fetchRows(String.self, sql: "SELECT pg_catalog.current_setting('lock_timeout')")
            }
            #expect(limit == ["0"])
        }
    }

    @Test func activityNamesWhoWaitsForWhom() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let site = BrowseSite(container) { _ in .read }
            var configuration = try ConnectionConfiguration(database.url)
            configuration.applicationName = "holder"
            let holder = try Connection(configuration)
            try holder.executeScript("BEGIN; LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
            configuration.applicationName = "waiter"
            let waiting = configuration
            async let waiter: Void = onThread {
                let connection = try Connection(waiting)
                _ = try connection.query("SELECT 1 FROM employee", cached: false)
                connection.close()
            }
            var text = ""
            for _ in 0..<200 where !text.contains("waits for holder") {
                text = try await site.text("/activity")
            }
            #expect(text.contains("waiter ") && text.contains("waits for holder"))
            #expect(text.contains("<th scope=\"row\">employee</th><td>ACCESS EXCLUSIVE</td>"))
            holder.close()
            try await waiter
            await container.close()
        }
    }

    @Test func costlyStatementsHaveTheirCallSite() async throws {
        let cluster = try await onThread { () throws(LocalPostgresError) in
            try LocalCluster.start(settings: ["shared_preload_libraries": "pg_stat_statements"])
        }
        let url = cluster.url()
        let container = try await PersistentContainer.open(url, model: Shop.model())
        try await Shop.fill(container)
        let site = BrowseSite(container) { _ in .read }
        #expect(try await site.text("/activity").contains("keeps no statistics of statements"))
        let sql = PlainSQL(url: url)
        try sql.rows("CREATE SCHEMA \"sta ts\"")
        try sql.rows("CREATE EXTENSION pg_stat_statements SCHEMA \"sta ts\"")
        try sql.rows("SELECT \"sta ts\".pg_stat_statements_reset()::text")
        try await container.perform { context in
            let request = FetchRequest<ManagedObject>(entityName: "Project").tagged("payroll")
            _ = try context.fetch(request)
        }
        let text = try await site.text("/activity")
        let isListed = text.contains("payroll ") && text.contains("OperatePageTests.swift:")
        #expect(isListed && text.contains("Statements that took most of the time"))
        await container.close()
        _ = await onThread { cluster.stop(.immediate) }
    }

    @Test func queriesRunButCannotWrite() async throws {
        try await Shop.withSite { site, container in
            let (status, text) = try await run(
                "SELECT 1 AS a, NULL AS a, name, '<b>' FROM employee ORDER BY name;", on: site)
            #expect(status == 200 && text.contains("250 rows") && text.contains("Person 1001"))
            #expect(text.contains("&lt;b&gt;") && text.contains(">NULL</span>") && !text.contains("<b>"))
            let many = try await run("SELECT n FROM generate_series(1, 5000) n", on: site)
            #expect(many.1.contains("1,000 rows, and the query has more"))
            for refused in [
                "DELETE FROM employee", "DROP TABLE employee", "COMMIT", "SELECT 1; DROP TABLE employee",
                "SELECT 1) q; DROP TABLE employee; --", "SELECT 1) TO PROGRAM 'touch /tmp/x'",
                "WITH gone AS (DELETE FROM employee RETURNING 1) SELECT * FROM gone",
                "SELECT nextval('_howdah_id')", "SELECT * FROM employee FOR UPDATE",
                "SELECT nothing FROM employee",
                "SELECT set_config('transaction_read_only', 'off', true), nextval('_howdah_id')",
                "SELECT /* unfinished",
            ] {
                let (status, text) = try await run(refused, on: site)
                #expect(status == 400 && text.contains("role=\"alert\""), "\(refused)")
            }
            _ = try await run("SELECT set_config('search_path', 'nowhere', false)", on: site)
            let count = try await container.perform {
                try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
            }
            #expect(count == 250)
        }
    }

    /// A lock of the session outlives the transaction, and the session is the program's.
    @Test func whatAQueryLocksIsFreeAfterwards() async throws {
        try await Shop.withSite { site, container in
            let (status, _) = try await run("SELECT pg_advisory_lock(4711)", on: site)
            #expect(status == 200)
            let held = try await container.perform { context in
                try context.fetchRows(
                    Int.self,
                    sql: """
                        SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks
                        WHERE locktype = 'advisory' AND objid = 4711
                        """)
            }
            #expect(held == [0])
        }
    }

    @Test func longQueriesAreStopped() async throws {
        try await Shop.withSite { site, _ in
            let start = ContinuousClock.now
            let (status, text) = try await run("SELECT pg_sleep(30)", on: site)
            #expect(
                status == 503 && text.contains("stopped") && text.contains("<textarea")
                    && ContinuousClock.now - start < .seconds(10))
            _ = try await site.text("/")
        }
    }

    @Test func formsOfOtherSitesAreRefused() async throws {
        try await Shop.withSite { site, _ in
            for headers in [
                [("Host", "app.example"), ("Origin", "https://evil.example")],
                [("Host", "app.example"), ("Origin", "null")], [("Host", "app.example")],
                [
                    ("Host", "app.example"), ("Origin", "https://app.example"),
                    ("Sec-Fetch-Site", "cross-site"),
                ],
            ] {
                let response = await site.respond(
                    to: BrowseRequest(
                        method: "POST", target: "/sql", headers: headers.map { ($0.0, $0.1) },
                        body: Array("query=SELECT+1".utf8)))
                #expect(response.status == 403)
            }
        }
    }

    @Test("Sessions have the time at which they began")
    func sessionsHaveTheirBeginning() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let other = try Connection(ConnectionConfiguration(database.url))
            try other.executeScript("SET application_name = 'another program'")
            let text = try await BrowseSite(container) { _ in .read }.text("/activity")
            #expect(text.contains("Session began (UTC)") && text.contains("another program"))
            #expect(text.contains(/<span class="short">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d</))
            other.close()
            await container.close()
        }
    }
}
