import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Roles with few rights and unusual settings, poolers, and sessions that end.
@Suite(.serialized) struct SessionTests {
    /// A model of values whose text depends on settings of a session.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Sample",
                properties: [
                    .attribute("text", .string), .attribute("at", .date), .attribute("number", .double),
                    .attribute("single", .float), .attribute("amount", .decimal), .attribute("data", .binary),
                    .attribute("flag", .boolean), .attribute("id", .uuid),
                    .relationship("parent", to: "Sample", inverse: "children"),
                    .relationship("children", to: "Sample", inverse: "parent", toMany: true),
                ])
        ])
    }

    private static let pages = [
        "/", "/objects/Sample?sort=at", "/object/Sample/1", "/json/Sample/1", "/export/Sample.csv",
        "/export/Sample.jsonl", "/structure/Sample", "/migrations", "/diagram", "/value/Sample/1/data",
        "/objects/Sample?where=text%20CONTAINS%20%22%5C%5C%22",
        "/objects/Sample?of=Sample/1/children&count=exact",
    ]

    private func fill(_ url: String) throws {
        let sql = PlainSQL(url: url)
        try sql.rows(
            """
            INSERT INTO sample (_id, _version, text, at, number, single, amount, data, flag, id, parent)
            SELECT n, 1, E'back\\\\slash ''' || n, timestamptz '2024-02-03 04:05:06.789+00' + n * interval '1 day', 0.1 + n,
                1.1, 12.50, '\\x00ff5c27'::bytea, n % 2 = 0, ('00000000-0000-0000-0000-00000000000' || n)::uuid, nullif(1, n)
            FROM generate_series(1, 9) n
            """)
        try sql.rows("ANALYZE sample")
    }

    /// Returns the pages without what differs from time to time.
    private func texts(_ url: String) async throws -> [String] {
        let gate = BrowseGate(port: 8_128)
        let site = try await BrowseSite.opening(url, gate: gate)
        var texts: [String] = []
        for page in Self.pages {
            let response = await site.respond(to: gate.request(page))
            let text = try await response.text()
            let stable = text.replacing(/\d+\.\d\d ms|data-snapshot="[^"]*"|<p class="place">[^<]*/, with: "")
            texts.append("\(page) \(response.status) \(stable)")
        }
        await site.close()
        return texts
    }

    private func withRole(
        _ options: String, of url: String, _ body: (_ role: String, _ url: String) async throws -> Void
    ) async throws {
        let sql = PlainSQL(url: url)
        let role = "browse_\(UInt32.random(in: 0 ... .max))"
        try sql.rows("CREATE ROLE \(role) LOGIN \(options)")
        do {
            try await body(role, url.replacing("user=postgres", with: "user=\(role)"))
        } catch {
            _ = try? sql.rows("DROP OWNED BY \(role)")
            _ = try? sql.rows("DROP ROLE \(role)")
            throw error
        }
        try sql.rows("DROP OWNED BY \(role)")
        try sql.rows("DROP ROLE \(role)")
    }

    @Test func settingsOfTheRoleChangeNothing() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let direct = TestPooler.direct(database.url)
            try fill(direct)
            let expected = try await texts(direct)
            for text in expected { #expect(text.contains(" 200 "), "\(text.prefix(300))") }
            try await withRole("", of: direct) { role, url in
                let sql = PlainSQL(url: direct)
                try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
                // Connections refuse a session that checks no foreign keys.
                for (name, value) in HostileSettings.worst where name != "session_replication_role" {
                    try sql.rows("ALTER ROLE \(role) SET \(name) = '\(value)'")
                }
                for (text, wanted) in zip(try await texts(url), expected) { #expect(text == wanted) }
                let pooler = try PgBouncer(direct)
                for (text, wanted) in zip(try await texts(pooler.url(through: url)), expected) {
                    #expect(text == wanted)
                }
                pooler.stop()
            }
        }
    }

    @Test func aRoleReadsTheColumnsThatItMay() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let direct = TestPooler.direct(database.url)
            try fill(direct)
            try await withRole("", of: direct) { role, url in
                let sql = PlainSQL(url: direct)
                try sql.rows("GRANT SELECT ON _howdah_store TO \(role)")
                try sql.rows("GRANT SELECT (_id, _version, text) ON sample TO \(role)")
                let gate = BrowseGate(port: 8_129)
                let site = try await BrowseSite.opening(url, gate: gate)
                let refused = await site.respond(to: gate.request("/objects/Sample"))
                let words = try await refused.text()
                #expect(refused.status == 403 && words.contains("may not read"))
                let allowed = await site.respond(to: gate.request("/objects/Sample?column=text"))
                let text = try await allowed.text()
                #expect(allowed.status == 200 && text.contains("back\\slash"))
                for page in [
                    "/", "/structure/Sample", "/diagram", "/migrations", "/activity", "/sql",
                ] {
                    #expect(await site.respond(to: gate.request(page)).status == 200, "\(page)")
                }
                await site.close()
            }
        }
    }

    /// A check that the role may not do ends no other check.
    @Test func theDoctorReportsWhatARoleMayNotCheck() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let direct = TestPooler.direct(database.url)
            try await withRole("", of: direct) { role, url in
                let sql = PlainSQL(url: direct)
                try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
                let gate = BrowseGate(port: 8_131)
                let site = try await BrowseSite.opening(url, gate: gate)
                let response = await site.respond(to: gate.request("/doctor"))
                let text = try await response.text()
                #expect(response.status == 200)
                #expect(text.contains("not checked") && text.contains("permission denied for sequence"))
                #expect(text.contains("settings"))
                await site.close()
            }
        }
    }

    @Test func pagesAndExportsOutliveTheirSessions() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let direct = TestPooler.direct(database.url)
            let sql = PlainSQL(url: direct)
            try sql.rows(
                "INSERT INTO sample (_id, _version, text) SELECT n, 1, 'x' FROM generate_series(1, 5000) n")
            let gate = BrowseGate(port: 8_130)
            let site = try await BrowseSite.opening(direct, gate: gate)
            let response = await site.respond(to: gate.request("/export/Sample.csv?column=text"))
            var (lines, failure): (Int, (any Error)?) = (0, nil)
            guard case .stream(let parts) = response.body else { return }
            do {
                for try await part in parts {
                    lines += part.count { $0 == UInt8(ascii: "\n") }
                    try kill(sql)
                }
            } catch { failure = error }
            // An export that is cut off must not look whole.
            #expect(failure != nil || lines == 5_001)
            for _ in 0..<5 {
                try kill(sql)
                let first = await site.respond(to: gate.request("/objects/Sample")).status
                #expect([200, 503].contains(first))
                #expect(await site.respond(to: gate.request("/objects/Sample")).status == 200)
            }
            await site.close()
        }
    }

    /// Ends the sessions of the pages.
    private func kill(_ sql: PlainSQL) throws {
        try sql.rows(
            """
            SELECT pg_terminate_backend(pid, 5000)::text FROM pg_stat_activity
            WHERE application_name = 'howdah browse' AND datname = current_database()
            """)
    }

    @Test func aRestartOfTheServerIsNoRestartOfThePages() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browse-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(at: folder) }
        let cluster = try DevelopmentCluster(in: folder.appending(path: "postgres"))
        let url = try cluster.start()
        defer { _ = try? cluster.stop() }
        try await PersistentContainer.open(url, model: Self.model()).close()
        let gate = BrowseGate(port: 8_131)
        let site = try await BrowseSite.opening(url, gate: gate)
        #expect(await site.respond(to: gate.request("/objects/Sample")).status == 200)
        _ = try cluster.stop()
        for page in ["/", "/objects/Sample", "/activity", "/migrations", "/doctor"] {
            let response = await site.respond(to: gate.request(page))
            let text = try await response.text()
            #expect(response.status == 503 && text.contains("role=\"alert\""), "\(page)")
        }
        _ = try cluster.start()
        #expect(await site.respond(to: gate.request("/objects/Sample")).status == 200)
        await site.close()
    }
}
