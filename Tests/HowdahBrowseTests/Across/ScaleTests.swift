import Foundation
import HowdahBrowse
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Stores of many entities and of many rows. The measured times are printed.
@Suite(.serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm")))
struct ScaleTests {
    private static func readings() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Reading",
                properties: [
                    .attribute("number", .integer64), .attribute("text", .string),
                ],
                fetchIndexes: [FetchIndexDescription("by_number", on: "number")])
        ])
    }

    /// Runs `body` with a site over a number of readings, whose numbers are those from 1.
    private func withReadings(
        _ count: Int, _ body: (BrowseSite, PersistentContainer) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: Self.readings()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows(
                """
                INSERT INTO reading (_id, _version, number, text)
                SELECT n, 1, n, 'Reading ' || n FROM generate_series(1, \(count)) n
                """)
            try sql.rows("VACUUM ANALYZE reading")
            let container = try await PersistentContainer.open(database.url, model: Self.readings())
            try await body(BrowseSite(container) { _ in .read }, container)
            await container.close()
        }
    }

    /// The shortest time of five, and the text.
    private func best(_ site: BrowseSite, _ target: String) async throws -> (time: Duration, text: String) {
        var (times, text): ([Duration], String) = ([], "")
        for _ in 0..<5 {
            times.append(try await ContinuousClock().measure { text = try await site.text(target) })
        }
        return (times.min() ?? .zero, text)
    }

    @Test func seventyEntitiesAreListedWithOneStatement() async throws {
        let model = try ManagedObjectModel(
            entities: (1...70).map { number in
                EntityDescription(
                    "Entity\(number)",
                    properties: (1...12).map { .attribute("value\($0)", .string) } + [
                        .relationship(
                            "next", to: "Entity\(number % 70 + 1)", inverse: "previous"),
                        .relationship(
                            "previous", to: "Entity\((number + 68) % 70 + 1)", inverse: "next", toMany: true),
                    ])
            })
        try await withTestStore(model) { container in
            let site = BrowseSite(container) { _ in .read }
            container.statementLog.start()
            let (time, text) = try await best(site, "/")
            #expect(container.statementLog.count == 5)
            #expect(text.matches(of: /href="\/objects\/Entity\d+"/).count >= 70)
            print("browse: list of 70 entities in \(time)")
            #expect(time < .milliseconds(50) * Self.slowness)
        }
    }

    @Test("Each page of a large table is within its time, and counts and skips no rows")
    func pagesOfALargeTableMeetTheirTargets() async throws {
        let count = TestTier.choose(quick: 200_000, all: 200_000, nightly: 10_000_000)
        try await withReadings(count) { site, container in
            // A cursor is a position in the order, and does not depend on the filter.
            let place = try await site.text(
                "/objects/Reading?sort=number&rows=100&where=number%20%3E%2099900")
            let cursor = try #require(place.firstMatch(of: /after=([^&"]*)"/)?.1)
            let list = "/objects/Reading?sort=number&rows=100"
            let pages: [(name: String, target: String, statements: Int, milliseconds: Int)] = [
                ("entities", "/", 1, 50), ("first page", list, 2, 60),
                ("thousandth page", "\(list)&after=\(cursor)", 2, 60),
                ("page before it", "\(list)&before=\(cursor)", 2, 60),
                ("last page", "/objects/Reading?sort=-number&rows=100", 2, 60),
                ("page by key", "/objects/Reading?rows=100", 2, 60),
                ("filtered page", "\(list)&where=number%20BETWEEN%20%7B150000,%20160000%7D", 2, 60),
                ("object", "/object/Reading/\(count / 2)", 1, 60),
            ]
            var texts: [String: String] = [:]
            for page in pages {
                container.statementLog.start()
                let (time, text) = try await best(site, page.target)
                let statements = container.statementLog.statements.map(\.sql)
                #expect(container.statementLog.count == 5 * page.statements, "\(page.name)")
                for sql in statements {
                    #expect(!sql.lowercased().contains("count(") && !sql.contains("OFFSET"), "\(page.name)")
                }
                #expect(!text.contains("class=\"warning\"") && text.utf8.count < 250_000, "\(page.name)")
                print("browse: \(count) rows, \(page.name) in \(time)")
                #expect(time < .milliseconds(page.milliseconds) * Self.slowness, "\(page.name)")
                texts[page.name] = text
            }
            let thousandth = texts["thousandth page"] ?? ""
            #expect(thousandth.contains(">100001</td>") && !thousandth.contains(">100000</td>"))
            #expect(texts["page before it"]?.contains(">99999</td>") == true)
            #expect(texts["last page"]?.contains(">\(count)</td>") == true)
        }
    }

    @Test func exportsNeedConstantMemory() async throws {
        let count = TestTier.choose(quick: 100_000, all: 1_000_000, nightly: 1_000_000)
        try await withReadings(count) { site, _ in
            let target = "/export/Reading.csv?sort=number"
            // The first pages fill caches and the allocator.
            var (lines, bytes, start): (Int, Int, Int) = (0, 0, 0)
            var most = 0
            let time = try await ContinuousClock().measure {
                let response = await site.respond(to: BrowseRequest(target: target))
                guard case .stream(let parts) = response.body else { return }
                for try await part in parts {
                    lines += part.count { $0 == UInt8(ascii: "\n") }
                    bytes += part.count
                    if lines % 10_000 < 1_000 {
                        let size = try Self.residentBytes()
                        if start == 0, lines > 20_000 { start = size }
                        if start > 0 { most = max(most, size) }
                    }
                }
            }
            print(
                "browse: export of \(count) rows, \(bytes) bytes in \(time), \(most - start) bytes of memory more"
            )
            #expect(lines == count + 1 && start > 0)
            // Of the text alone it would be more than 30 MB for a million rows.
            #expect(most - start < 16 << 20)
        }
    }

    /// The memory of this process.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }

    /// The factor for limits of time: debug builds beside other tests are not measured.
    private static let slowness = TestTier.isNightly ? 1 : 10
}
