import Foundation
import HowdahBrowse
import HowdahRuntime
import TestSupport
import Testing

/// The example of `docs/browse.md`, compiled and run.
struct BrowseGuide {
    // snippet
    func administration(_ container: PersistentContainer, _ sessions: Sessions) -> BrowseSite {
        BrowseSite(container, at: "/admin") { request -> BrowseAccess in
            await sessions.isAdministrator(cookie: request.headers) ? .read : .none
        }
    }

    /// Answers the requests of your server below /admin.
    func serve(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)], _ body: [UInt8],
        with site: BrowseSite, _ connection: inout some ResponseWriter
    ) async throws {
        let response: BrowseResponse = await site.respond(
            to: BrowseRequest(method: method, target: target, headers: headers, body: body))
        try await connection.start(response.status, response.headers)
        switch response.body {
        case .bytes(let bytes): try await connection.write(bytes)
        case .stream(let parts): for try await part in parts { try await connection.write(part) }
        }
    }
    // end

    static func gate(_ container: PersistentContainer) -> BrowseSite {
        // gate
        let gate = BrowseGate(port: 8_080)
        let site = BrowseSite(container, gate: gate)
        print("Open \(gate.url ?? "")")
        // end of gate
        return site
    }

    /// The sessions of an imagined server.
    struct Sessions: Sendable {
        func isAdministrator(cookie: [(name: String, value: String)]) async -> Bool {
            cookie.contains { $0.name == "Cookie" && $0.value == "admin" }
        }
    }

    protocol ResponseWriter {
        mutating func start(_ status: Int, _ headers: [(name: String, value: String)]) async throws
        mutating func write(_ bytes: [UInt8]) async throws
    }

    /// A connection that collects what is written.
    struct Collected: ResponseWriter {
        var status = 0
        var bytes: [UInt8] = []

        mutating func start(_ status: Int, _ headers: [(name: String, value: String)]) {
            self.status = status
        }

        mutating func write(_ part: [UInt8]) { bytes += part }
    }
}

@Suite struct BrowseGuideTests {
    @Test(arguments: [("snippet", "end"), ("gate", "end of gate")])
    func theGuideHasThisExample(_ first: String, _ last: String) throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/browse.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("    // \(first)") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("    // \(last)") })
        let indentation = lines[begin].prefix { $0 == " " }.count
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(indentation) }.joined(separator: "\n")
        #expect(guide.contains(example + "\n```"))
    }

    @Test func theTourHasEightPicturesThatAreSmall() throws {
        let docs = Repository.root.appending(path: "docs")
        let tour = try String(contentsOf: docs.appending(path: "browse-tour.md"), encoding: .utf8)
        let named = tour.matches(of: /!\[[^\]]+\]\(pictures\/([a-z-]+\.png)\)/).map { String($0.1) }
        let folder = docs.appending(path: "pictures")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasPrefix("browse-") }
        #expect(named.sorted() == files.sorted() && named.count == 8)
        let bytes = try files.map { try Data(contentsOf: folder.appending(path: $0)).count }
        #expect(bytes.reduce(0, +) <= 600_000)
    }

    @Test func theExampleServes() async throws {
        try await Shop.withSite { _, container in
            let site = BrowseGuide().administration(container, BrowseGuide.Sessions())
            var connection = BrowseGuide.Collected()
            try await BrowseGuide().serve(
                "GET", "/admin/", [("Cookie", "admin")], [], with: site, &connection)
            #expect(connection.status == 200)
            #expect(
                String(decoding: connection.bytes, as: UTF8.self).contains("href=\"/admin/objects/Employee\"")
            )
            var stranger = BrowseGuide.Collected()
            try await BrowseGuide().serve("GET", "/admin/", [], [], with: site, &stranger)
            #expect(stranger.status == 403)
        }
    }
}
