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
                "Reading", properties: [.attribute("number", .integer64), .attribute("text", .string)],
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

    @Test func thousandthPagesAreAsFastAsTheFirst() async throws {
        let count = TestTier.choose(quick: 200_000, all: 200_000, nightly: 10_000_000)
        try await withReadings(count) { site, container in
            container.statementLog.start()
            let first = try await best(site, "/objects/Reading?sort=number&rows=100")
            #expect(container.statementLog.count == 10)
            // A cursor is a position in the order, and does not depend on the filter.
            let place = try await site.text(
                "/objects/Reading?sort=number&rows=100&where=number%20%3E%2099900")
            let cursor = try #require(place.firstMatch(of: /after=([^&"]*)"/)?.1)
            container.statementLog.start()
            let thousandth = try await best(site, "/objects/Reading?sort=number&rows=100&after=\(cursor)")
            #expect(container.statementLog.count == 10)
            #expect(
                thousandth.text.contains(">100001</td>") && !thousandth.text.contains(">100000</td>"))
            for text in [first.text, thousandth.text] { #expect(!text.contains("class=\"warning\"")) }
            for text in container.statementLog.statements.map(\.sql) {
                #expect(!text.lowercased().contains("count(") && !text.contains("OFFSET"))
            }
            print("browse: \(count) rows, first page \(first.time), thousandth \(thousandth.time)")
            #expect(first.time < .milliseconds(60) * Self.slowness)
            #expect(thousandth.time < .milliseconds(60) * Self.slowness)
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
