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

    private func answer(_ query: String, on site: BrowseSite) async throws -> (Int, String) {
        let response = await site.respond(to: request(Array("query=\(FormText.encoded(query))".utf8)))
        return (response.status, try await response.text())
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
