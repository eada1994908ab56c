import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// The limits of a query that a reader typed, and of its form.
@Suite struct SQLPageTests {
    private func request(
        _ body: [UInt8], sites: [String] = ["same-origin"]
    ) -> BrowseRequest {
        BrowseRequest(
            method: "POST", target: "/sql",
            headers: [("Host", "app.example"), ("Origin", "https://app.example")]
                + sites.map { ("Sec-Fetch-Site", $0) }, body: body)
    }

    private func answer(
        _ query: String, as action: String = "run", on site: BrowseSite
    ) async throws -> (Int, String) {
        let body = "query=\(FormText.encoded(query))&as=\(action)"
        let response = await site.respond(to: request(Array(body.utf8)))
        return (response.status, try await response.text())
    }

    @Test func mistakesNameTheTableAndTheColumn() async throws {
        try await Shop.withSite { site, _ in
            let (_, table) = try await answer("SELECT * FROM \"Employee\"", on: site)
            #expect(table.contains("The table of Employee is &quot;public&quot;.&quot;employee&quot;."))
            let (status, column) = try await answer("SELECT nam FROM employee", on: site)
            #expect(status == 400)
            #expect(column.contains("Perhaps you meant to reference the column &quot;employee.name&quot;."))
            let (_, other) = try await answer("SELECT * FROM nothing", on: site)
            #expect(!other.contains("The table of "))
        }
    }

    @Test("A result has its time, its plan without a run, its plan with times, and CSV")
    func resultsHaveOtherForms() async throws {
        try await Shop.withSite { site, _ in
            let query =
                "SELECT n, NULLIF(n, 2) AS n, repeat(',', n - 1) AS \"a b\" FROM generate_series(1, 3) n"
            let (_, page) = try await answer(query, on: site)
            #expect(page.contains(/3 rows, in [0-9.]+ ms/) && page.contains("<h2>Plan</h2>"))
            let csv = await site.respond(
                to: request(Array("query=\(FormText.encoded(query))&as=csv".utf8)))
            #expect(csv.header("Content-Disposition") == "attachment; filename=\"result.csv\"")
            let text = try await csv.text()
            #expect(text == "n,n,a b\r\n1,1,\"\"\r\n2,,\",\"\r\n3,3,\",,\"\r\n")
            // Nothing runs for a plan: the query would take longer than a page may.
            let (status, plan) = try await answer("SELECT pg_sleep(30)", as: "plan", on: site)
            #expect(status == 200 && plan.contains("without running") && plan.contains("(cost="))
            let (_, times) = try await answer(query, as: "analyze", on: site)
            #expect(times.contains("actual time=") && times.contains("Execution Time"))
            #expect(try await answer("SELECT pg_sleep(30)", as: "analyze", on: site).0 == 503)
            let (refused, _) = try await answer("SELECT nextval('_howdah_id')", as: "analyze", on: site)
            #expect(refused == 400)
            #expect(try await answer(query, as: "write", on: site).0 == 400)
        }
    }

    @Test(
        "A file has the whole result, or the page says that it is too large",
        arguments: [
            "SELECT n FROM generate_series(1, 10001) n",
            "SELECT repeat('x', 3000000) FROM generate_series(1, 3)",
            "SELECT repeat('x', 9000000)",
        ])
    func largeResultsAreNoFile(query: String) async throws {
        try await Shop.withSite { site, _ in
            let (status, text) = try await answer(query, as: "csv", on: site)
            #expect(status == 400 && text.contains("more than 10,000 rows or 8.0 MiB"))
            let (_, all) = try await answer("SELECT n FROM generate_series(1, 10000) n", as: "csv", on: site)
            #expect(all.hasSuffix("9999\r\n10000\r\n"))
            let (_, long) = try await answer("SELECT repeat('x', 8000000) AS x", as: "csv", on: site)
            #expect(long.utf8.count == 8_000_005)
        }
    }

    @Test("A result with many wide columns is cut, also as a whole")
    func resultsAreBounded() async throws {
        try await Shop.withSite { site, _ in
            let columns = (0..<60).map { "repeat('<', 2000) AS c\($0)" }.joined(separator: ", ")
            let (status, text) = try await answer("SELECT \(columns) FROM generate_series(1, 1000)", on: site)
            #expect(status == 200 && text.utf8.count < 6_000_000)
            #expect(text.contains("and the query has more"))
            let (_, short) = try await answer("SELECT repeat('x', 2000)", on: site)
            #expect(short.contains(String(repeating: "x", count: 2_000)) && !short.contains("has more"))
        }
    }

    @Test("A lock of a session ends with the query, also behind a pooler")
    func locksEnd() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            try await PersistentContainer.open(database.url, model: Shop.model()).close()
            var options = StoreOptions()
            options.pooler = .transaction
            let gate = BrowseGate(port: 8_131)
            let site = try await BrowseSite.opening(database.url, options: options, gate: gate)
            for (query, status) in [
                ("SELECT pg_advisory_lock(42)", 200),
                ("SELECT pg_advisory_lock(42), 1 / (random() * 0)", 400),
            ] {
                var request = request(Array("query=\(FormText.encoded(query))".utf8))
                request.headers =
                    gate.request("/sql").headers + [
                        ("Origin", "http://127.0.0.1:8131"), ("Sec-Fetch-Site", "same-origin"),
                    ]
                let response = await site.respond(to: request)
                #expect(response.status == status)
                let locks = try PlainSQL(url: database.url).rows(
                    "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND objid = 42")
                #expect("\(locks)".contains("0"))
            }
            await site.close()
        }
    }

    @Test("A comment after the last semicolon is accepted for each button, and stays in the form")
    func commentsAtTheEndAreAccepted() async throws {
        try await Shop.withSite { site, _ in
            for action in SQLForm.Action.allCases {
                let (status, text) = try await answer(
                    "SELECT 41 + 1 AS n; -- it", as: action.rawValue, on: site)
                #expect(status == 200, "\(action)")
                #expect(action == .csv ? text == "n\r\n42\r\n" : text.contains("n; -- it</textarea>"))
                let (refused, _) = try await answer(
                    "SELECT 1; -- it\nSELECT 2", as: action.rawValue, on: site)
                #expect(refused == 400, "\(action)")
            }
        }
    }

    @Test("Fields that the form does not have, and bytes that are no text, are refused")
    func oddFormsAreRefused() async throws {
        try await Shop.withSite { site, _ in
            for body in ["query=select+1&query=select+2", "query=select+1&x=1", "query=select+'%ff'"] {
                #expect(await site.respond(to: request(Array(body.utf8))).status == 400, "\(body)")
            }
            let one = Array("query=select+1".utf8)
            #expect(await site.respond(to: request(one)).status == 200)
            #expect(await site.respond(to: request(one, sites: ["same-origin", "cross-site"])).status == 403)
            #expect(await site.respond(to: request(one, sites: [])).status == 200)
            _ = try await site.text("/objects/Employee?where=name%20==%20%22%ff%22", status: 400)
        }
    }

    @Test("The form names what a transaction does not undo, and warns of a superuser")
    func effectsOutsideAreNamed() async throws {
        try await Shop.withSite { site, container in
            let text = try await site.text("/sql")
            #expect(text.contains("not undone") && text.contains("The role is a superuser"))
            #expect(!SQLRole(isSuperuser: false).warning.text.contains("superuser"))
        }
    }
}
