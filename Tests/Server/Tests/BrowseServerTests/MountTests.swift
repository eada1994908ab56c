import Foundation
import Howdah
import HowdahBrowse
import HowdahBrowseServer
import Hummingbird
import Synchronization
import Testing

/// The example of `docs/browse.md`: the pages in a program's own server.
@Suite(.timeLimit(.minutes(5))) struct MountTests {
    private func application(
        _ container: PersistentContainer, _ listening: @escaping @Sendable (Int) -> Void
    ) -> some ApplicationProtocol {
        let site = BrowseSite(container, at: "/admin") { request in
            request.headers.contains { $0 == ("x-role", "administrator") } ? .read : .none
        }
        let router = Router()
        router.get("/") { _, _ in "The program's own page" }
        site.addRoutes(to: router.group("admin"))
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listening($0.localAddress?.port ?? 0) })
    }

    @Test("A mounted site has its prefix, and its closure decides")
    func mounted() async throws {
        try await Notes.withStore(notes: 3) { container, _ in
            let (ports, listening) = AsyncStream.makeStream(of: Int.self)
            let application = application(container) { listening.yield($0) }
            let server = Task { try await application.run() }
            defer { server.cancel() }
            var iterator = ports.makeAsyncIterator()
            let origin = "http://127.0.0.1:\(try #require(await iterator.next()))"
            #expect(try await BrowseProgram.ask(origin + "/").body == "The program's own page")
            #expect(try await BrowseProgram.ask(origin + "/admin").status == 403)
            let login = ["x-role": "administrator"]
            for path in ["/admin", "/admin/", "/admin/objects/Note?where=text%20%3D%3D%20%22Note%201%22"] {
                let page = try await BrowseProgram.ask(origin + path, login)
                #expect(page.status == 200 && page.body.contains("href=\"/admin/"))
            }
            let form = try await BrowseProgram.ask(
                origin + "/admin/sql", method: .POST, login.merging(["Origin": "http://evil.test"]) { $1 })
            #expect(form.status == 403)
        }
    }

    @Test("The example of the guide is compiled here")
    func guide() throws {
        let file = URL(fileURLWithPath: #filePath)
        let root = (0..<5).reduce(file) { folder, _ in folder.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/browse.md"), encoding: .utf8)
        let compiled = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let example = page.components(separatedBy: "```swift\n").first { $0.contains("addRoutes") } ?? ""
        let lines = (example.components(separatedBy: "```").first ?? "").split(separator: "\n")
        #expect(lines.count == 5)
        for line in lines {
            #expect(compiled.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }
}
