import Foundation
import HowdahTesting
import TestSupport
import Testing

/// What reads or inserts many rows holds a batch in memory, whatever their number.
@Suite(.serialized) struct BatchMemoryTests {
    private static let rows = TestTier.choose(quick: 60_000, all: 60_000, nightly: 1_000_000)
    #if os(Linux)
    private static let canTell = true
    #else
    private static let canTell = false
    #endif

    @Test(.enabled(if: canTell, "the kernel tells of peaks in /proc")) func rowsDoNotPileUp() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        for (kind, count) in [
            ("dictionaries", Self.rows), ("stream", Self.rows), ("batches", Self.rows),
            ("upserts", Self.rows / 4),
        ] {
            try await Self.expectFewMegabytes(kind, count, database.url)
        }
        let other = try EphemeralPostgres.shared().createDatabase()
        defer { try? other.drop() }
        try await Self.expectFewMegabytes("objects", Self.rows, other.url)
    }

    /// The other process's peak, with all of its libraries.
    private static func expectFewMegabytes(_ kind: String, _ count: Int, _ url: String) async throws {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "bulk", kind, "\(count)"]
        let text = try await process.printed()
        let numbers = text.split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(numbers.count == 2, "\(kind): \(text)")
        #expect(numbers[0] == count, "\(kind)")
        #expect((1..<100_000).contains(numbers[1]), "\(kind): \(numbers[1]) kB")
    }
}
