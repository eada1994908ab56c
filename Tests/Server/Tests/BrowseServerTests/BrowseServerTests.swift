import Foundation
import Howdah
import HowdahTesting
import Testing

/// `howdah browse` over HTTP, with a store in a private PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct BrowseServerTests {
    /// Runs `body` with the program on a database that has a store.
    private func withProgram(
        notes: Int = 3, _ body: (BrowseProgram, _ url: String) async throws -> Void
    ) async throws {
        try await Notes.withStore(notes: notes) { _, url in
            let program = try await BrowseProgram(["--database", url])
            try #require(program.address.hasPrefix("http://127.0.0.1:"))
            try await body(program, url)
            #expect(await program.end() == 0)
        }
    }

    @Test("The token of the printed address works once, and gives a cookie")
    func tokenWorksOnce() async throws {
        try await withProgram { program, _ in
            #expect(try await program.ask("/").status == 401)
            #expect(try await program.ask("/?token=0123456789abcdef0123456789abcdef").status == 401)
            let token = program.address.split(separator: "token=").last ?? ""
            #expect(token.count == 32)
            let cookie = try await program.session()
            #expect(try await BrowseProgram.ask(program.address).status == 401)
            let page = try await program.ask("/", cookie)
            #expect(page.status == 200 && page.body.contains("Note"))
        }
    }

    @Test("Requests for other hosts get 421, also with the cookie")
    func otherHosts() async throws {
        try await withProgram { program, _ in
            let cookie = try await program.session()
            let port = program.origin.split(separator: ":").last ?? ""
            let others = ["evil.test", "evil.test:\(port)", "127.0.0.1:\(port).evil.test", "127.0.0.1"]
            for host in others {
                #expect(try await program.ask("/", cookie.merging(["Host": host]) { $1 }).status == 421)
            }
            let local = cookie.merging(["Host": "localhost:\(port)"]) { $1 }
            #expect(try await program.ask("/", local).status == 200)
        }
    }

    @Test("Every response has the protecting header fields")
    func headers() async throws {
        try await withProgram { program, _ in
            let cookie = try await program.session()
            for (path, status) in [("/", 200), ("/objects/Note", 200), ("/nowhere", 404)] as [(String, UInt)]
            {
                let response = try await program.ask(path, cookie)
                #expect(response.status == status)
                #expect(response.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(response.headers["x-content-type-options"] == "nosniff")
                #expect(response.headers["cache-control"] == "no-store")
            }
            let head = try await program.ask("/", method: .HEAD, cookie)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(try await program.ask("/", method: .PUT, cookie).status == 403)
            let origin = cookie.merging(["Origin": program.origin]) { $1 }
            #expect(try await program.ask("/", method: .PUT, origin).status == 405)
        }
    }

    @Test("An export is streamed with all objects")
    func export() async throws {
        try await withProgram(notes: 5_000) { program, _ in
            let response = try await program.ask("/export/Note.csv", try await program.session())
            #expect(response.status == 200)
            #expect(response.headers["transfer-encoding"] == "chunked")
            #expect(response.body.split(whereSeparator: \.isNewline).count == 5_001)
        }
    }

    @Test("SIGTERM ends a server that has answered, and frees its port")
    func ends() async throws {
        try await withProgram { program, url in
            let cookie = try await program.session()
            #expect(try await program.ask("/", cookie).status == 200)
            #expect(await program.end() == 0)
            let port = String(program.origin.split(separator: ":").last ?? "")
            let next = try await BrowseProgram(["--database", url, "--port", port])
            #expect(next.origin == program.origin && next.address != program.address)
        }
    }

    @Test("A port in use is named")
    func portInUse() async throws {
        try await withProgram { program, url in
            let port = String(program.origin.split(separator: ":").last ?? "")
            let failure = try BrowseProgram.failure(["--database", url, "--port", port])
            #expect(failure.status == 1)
            #expect(failure.complaint.contains("Another program uses port \(port). Choose another port"))
        }
    }

    @Test("--open without a browser prints the address, and a hint")
    func noBrowser() async throws {
        try await Notes.withStore(notes: 1) { _, url in
            let complaints = Pipe()
            let program = try await BrowseProgram(
                ["--database", url, "--open"], path: "/nowhere", complaints: complaints)
            #expect(program.address.hasPrefix("http://127.0.0.1:"))
            let hint = await BrowseProgram.text(of: complaints)
            let expected = "No browser could be started. Open the printed address yourself."
            #expect(hint.contains(expected))
            let cookie = try await program.session()
            #expect(try await program.ask("/", cookie).status == 200)
            #expect(await program.end() == 0)
        }
    }

    /// Other users of the machine see the arguments of programs.
    @Test("--open gives the browser a file that only the user can read")
    func opensAFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (browser, seen) = (folder.appending(path: "xdg-open"), folder.appending(path: "seen").path())
        let script = """
            #!/bin/sh
            { echo "$*"; stat -c %a "$1" "$(dirname "$1")"; cat "$1"; } >'\(seen).part'
            mv '\(seen).part' '\(seen)'

            """
        try Data(script.utf8).write(to: browser)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser.path())
        try await Notes.withStore(notes: 1) { _, url in
            let program = try await BrowseProgram(
                ["--database", url, "--open"], path: "\(folder.path()):/usr/bin:/bin")
            for _ in 0..<1_000 where !FileManager.default.fileExists(atPath: seen) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
            let file = try #require(lines.first.map(String.init))
            #expect(file.hasSuffix("/open.html") && !file.contains("token"))
            #expect(lines.dropFirst().prefix(2) == ["600", "700"])
            #expect(lines.joined().contains("url=\(program.address)\""))
            #expect(await program.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("--model shows the plan to another model")
    func plan() async throws {
        try await Notes.withStore(notes: 1) { _, url in
            let next = try ManagedObjectModel(entities: [
                EntityDescription(
                    "Note",
                    properties: [
                        .attribute("text", .string, optional: false), .attribute("priority", .integer16),
                    ])
            ])
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            try next.canonicalJSON.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let program = try await BrowseProgram(["--database", url, "--model", file.path])
            let page = try await program.ask("/migrations", try await program.session())
            #expect(page.status == 200 && page.body.contains("<h2>Plan to \(file.lastPathComponent)</h2>"))
            #expect(page.body.contains("ADD COLUMN") && page.body.contains("ACCESS EXCLUSIVE"))
            #expect(await program.end() == 0)
            let missing = try BrowseProgram.failure(["--database", url, "--model", "/nowhere/Model.json"])
            #expect(missing.status == 1 && missing.complaint.contains("/nowhere/Model.json"))
            let version = try BrowseProgram.failure(["--database", url, "--version", "2"])
            #expect(version.status == 64 && version.complaint.contains("Add --model."))
        }
    }
}
