import Foundation
import HowdahBrowse
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Positions in an order by long values, and by values that can be NULL.
@Suite struct CursorTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Reading",
                properties: [.attribute("number", .integer64), .attribute("text", .string)],
                fetchIndexes: [FetchIndexDescription("by_number", on: "number")])
        ])
    }

    /// Runs `body` with a site over rows.
    ///
    /// - Parameter rows: A query of the columns _id, number and text.
    private func withSite(
        _ rows: String, _ body: (BrowseSite, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows("INSERT INTO reading (_version, _id, number, text) SELECT 1, r.* FROM (\(rows)) r")
            try sql.rows("VACUUM ANALYZE reading")
            let container = try await PersistentContainer.open(database.url, model: Self.model())
            try await body(BrowseSite(container) { _ in .read }, sql)
            await container.close()
        }
    }

    /// Returns the pages from an address on, and the keys of each, by the links of a direction.
    private func pages(
        _ target: String, _ direction: String, of site: BrowseSite
    ) async throws -> [(text: String, keys: [String])] {
        var (pages, next): ([(text: String, keys: [String])], String?) = ([], target)
        while let address = next, pages.count < 100 {
            let text = try await site.text(address)
            pages.append((text, text.matches(of: /<tr data-key="(\d+)"/).map { String($0.1) }))
            next = text.firstMatch(of: try Regex("href=\"([^\"]*)\" rel=\"\(direction)\"")).flatMap {
                $0.output[1].substring.map { String($0).replacing("&amp;", with: "&") }
            }
        }
        return pages
    }

    @Test(
        "Pages have each row once and in order, with NULL in its place",
        arguments: ["number", "-number", "text,-number", "-text,number"])
    func pagesAreWhole(sort: String) async throws {
        let rows = """
            SELECT n, CASE WHEN n % 3 > 0 THEN n % 7 END, CASE WHEN n % 5 > 1 THEN 'text ' || n % 11 END
            FROM generate_series(1, 400) n
            """
        try await withSite(rows) { site, sql in
            let order = sort.split(separator: ",").map { key in
                key.hasPrefix("-")
                    ? "\(key.dropFirst()) COLLATE \"C\" DESC NULLS LAST" : "\(key) COLLATE \"C\" NULLS FIRST"
            }.map { $0.hasPrefix("number") ? $0.replacing(" COLLATE \"C\"", with: "") : $0 }
            let wanted = try sql.rows(
                "SELECT r._id::text FROM reading r ORDER BY \(order.joined(separator: ", ")), r._id"
            ).map { $0[0] }
            let target = "/objects/Reading?sort=\(sort)"
            let forward = try await pages(target, "next", of: site)
            #expect(forward.count == 8 && forward.flatMap(\.keys) == wanted)
            let last = try #require(forward.dropLast().last?.text)
            let link = try #require(last.firstMatch(of: /href="([^"]*)" rel="next"/)?.1)
            let backward = try await pages(
                String(link).replacing("&amp;", with: "&"), "prev", of: site)
            #expect(backward.reversed().flatMap(\.keys) == wanted)
        }
    }

    @Test(
        "An index starts at the position, also if the property is optional", arguments: ["number", "-number"])
    func indexesStartAtThePosition(sort: String) async throws {
        let rows = """
            SELECT n, CASE WHEN n % 4 > 0 THEN n END, 'x' FROM generate_series(1, 40000) n
            """
        try await withSite(rows) { site, _ in
            // A position in the middle does not depend on the filter.
            let place = try await site.text("/objects/Reading?sort=\(sort)&where=number%20%3C%3D%2020000")
            let cursor = try #require(place.firstMatch(of: /after=([^&"]*)"/)?.1)
            for direction in ["after", "before"] {
                let text = try await site.text("/objects/Reading?sort=\(sort)&\(direction)=\(cursor)")
                #expect(text.contains("What was sent: 2 statements"))
                let plan = try #require(text.components(separatedBy: "<h2>Plan</h2>").last)
                let isDescending = (sort == "-number") == (direction == "after")
                #expect(plan.matches(of: /Index Cond/).count == (isDescending ? 2 : 1), "\(plan)")
                #expect(!text.contains("class=\"warning\""))
                let estimate = text.firstMatch(of: /of about ([0-9,]+)/).flatMap {
                    Int($0.1.replacing(",", with: ""))
                }
                let count = (sort == "number") == (direction == "after") ? 40_000 : 30_000
                #expect(estimate.map { abs($0 - count / 2) < 15_000 } == true, "\(estimate ?? 0)")
            }
        }
    }

    @Test("Values that are too long for an address are not read for it, and short ones are")
    func longValuesAreLeftOutByTheServer() async throws {
        let rows = """
            SELECT n, n, CASE WHEN n > 60 THEN 'short ' || n WHEN n > 1 THEN repeat('long ' || n, 2000) END
            FROM generate_series(1, 180) n
            """
        try await withSite(rows) { site, _ in
            let long = try await site.text("/objects/Reading?sort=text")
            #expect(
                long.contains("CASE WHEN pg_catalog.octet_length((t0.&quot;text&quot;)::pg_catalog.text)"))
            #expect(long.contains("too long for an address") && !long.contains("rel=\"next\""))
            #expect(long.contains("50 objects, of ") && long.contains("Count exactly"))
            let short = try await pages("/objects/Reading?sort=-text", "next", of: site)
            #expect(short.map(\.keys.count) == [50, 50, 50])
            #expect(short.last?.text.contains("too long for an address") == true)
            let number = try await site.text("/objects/Reading?sort=number")
            #expect(!number.contains("octet_length(t0.&quot;number&quot;)"))
            // An export reads all values of the order.
            let lines = try await site.text("/export/Reading.csv?sort=text&column=number").split(
                separator: "\r\n")
            #expect(lines.count == 181 && lines[1].hasSuffix(",1"))
        }
    }
}
