import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

extension ScaleTests {
    /// Values of hundreds of megabytes. They run after the exports, whose memory is measured.
    @Suite struct LongValueTests {
        /// Runs `body` with a site over a project whose title has a number of lines, each of 1,998 bytes and with its
        /// number, and with the key of the project.
        private func withTitle(
            of lines: Int, _ body: (BrowseSite, PersistentContainer, Int64) async throws -> Void
        ) async throws {
            try await withTestDatabase(for: Shop.model()) { database in
                let container = try await PersistentContainer.open(database.url, model: Shop.model())
                try PlainSQL(url: database.url).rows(
                    """
                    INSERT INTO project (_id, _version, title)
                    SELECT 5, 1, string_agg(lpad(n::text, 8, '0') || repeat('é', 995), '') FROM generate_series(1, \(lines)) n
                    """)
                container.statementLog.start()
                try await body(BrowseSite(container) { _ in .read }, container, 5)
                await container.close()
            }
        }

        @Test("The server reads a long text a few times, whatever its length")
        func textsAreReadInFewParts() async throws {
            let lines = TestTier.choose(quick: 20_000, all: 52_500, nightly: 105_000)
            try await withTitle(of: lines) { site, container, key in
                var expected = Data()
                let rest = Data(String(repeating: "é", count: 995).utf8)
                for number in 1...lines {
                    let digits = String(number)
                    expected += Data((String(repeating: "0", count: 8 - digits.count) + digits).utf8) + rest
                }
                let start = ContinuousClock.now
                let response = await site.respond(to: BrowseRequest(target: "/value/Project/\(key)/title"))
                guard case .stream(let parts) = response.body else { return #expect(Bool(false)) }
                #expect(container.statementLog.count == 2)
                var (found, sizes): (Data, [Int]) = (Data(), [])
                for try await part in parts {
                    found += part
                    sizes.append(part.count)
                }
                let time = ContinuousClock.now - start
                print("browse: text of \(expected.count) bytes in \(sizes.count) parts and \(time)")
                #expect(found == expected)
                #expect(sizes.count == 8 && container.statementLog.count == 1 + sizes.count)
                #expect(response.header("Content-Length") == String(expected.count))
            }
        }

        @Test("A range and the head of a long text cost one statement more at most")
        func rangesAreReadOnce() async throws {
            try await withTitle(of: 2_000) { site, container, key in
                let target = "/value/Project/\(key)/title"
                let head = await site.respond(to: BrowseRequest(method: "HEAD", target: target))
                #expect(head.header("Content-Length") == "3996000" && container.statementLog.count == 1)
                let last = await site.respond(
                    to: BrowseRequest(target: target, headers: [("Range", "bytes=3994002-3994009")]))
                let text = try await last.text()
                #expect(text == "00002000" && container.statementLog.count == 3)
            }
        }

        @Test("A value that the server cannot read within the limit has a command that gets it")
        func stoppedValuesHaveACommand() async throws {
            try await withTitle(of: 10) { site, container, key in
                try await container.perform { context in
                    _ = try context.withConnection { connection in
                        try connection.executeScript(
                            """
                            ALTER TABLE project RENAME TO slow;
                            CREATE VIEW project AS SELECT _id, _version, title
                            || CASE WHEN current_query() LIKE '%convert_to%' THEN pg_sleep(5)::text ELSE '' END AS title
                            FROM slow
                            """)
                    }
                }
                let text = try await site.text("/value/Project/\(key)/title", status: 503)
                #expect(
                    text.contains("The server reads title, which has ")
                        && text.contains("for longer than 2 s"))
                #expect(text.contains("psql --no-align") && text.contains("WHERE t0.&quot;_id&quot; = 5"))
            }
        }

        @Test("Data that the server did not compress is read in parts of 4 MiB")
        func uncompressedDataIsReadInShortParts() async throws {
            try await Shop.withSite { site, container in
                let length = 40_000_000
                let key = try await container.perform { context in
                    let employee = context.insert("Employee")
                    var generator = SystemRandomNumberGenerator()
                    let words = (0..<length / 8).map { _ in generator.next() as UInt64 }
                    employee["photo"] = words.withUnsafeBytes { Data($0) }
                    try context.save()
                    return employee.objectID.key
                }
                container.statementLog.start()
                let response = await site.respond(to: BrowseRequest(target: "/value/Employee/\(key)/photo"))
                guard case .stream(let parts) = response.body else { return #expect(Bool(false)) }
                var sizes: [Int] = []
                for try await part in parts { sizes.append(part.count) }
                #expect(sizes.count == 10 && sizes[0] == 4 << 20 && sizes.reduce(0, +) == length)
            }
        }
    }
}
