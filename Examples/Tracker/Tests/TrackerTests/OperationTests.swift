import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import Testing

@testable import Tracker

extension TrackerTests {
    /// Shutdowns and failures.
    @Suite struct OperationTests {
        @Test("SIGTERM under load fails no request, ends the streams and exits with 0")
        func shutdown() async throws {
            try await withTracker { tracker in
                let (server, tally) = (tracker.servers[0], Tally())
                let browser = BoardClient([server], token: tracker.client.token)
                let watching = Task { await browser.follow("CORE", from: 0) }
                try await wait("The stream does not begin.") { await browser.columns.count == 3 }
                let load = (0..<8).map { number in
                    Task { [client = tracker.client] in await create("Load \(number)", client, tally) }
                }
                try await wait("There is no load.") { await tally.done > 50 }
                server.send(SIGTERM)
                #expect(try await server.status() == 0)
                for task in load { await task.value }
                watching.cancel()
                #expect(await tally.failures == [])
                #expect(await browser.connections == 1)
                let count = try await tracker.container.perform { context in
                    try context.count(
                        for: FetchRequest<Tracker.Issue>(where: #Predicate { $0.title.starts(with: "Load") }))
                }
                #expect(await count == tally.done)
            }
        }

        private actor Tally {
            private(set) var done = 0
            private(set) var failures: [String] = []

            func add(_ failure: String?) {
                if let failure { failures.append(failure) } else { done += 1 }
            }
        }

        /// Creates issues until the server asks to use another connection.
        private func create(_ title: String, _ client: Client, _ tally: Tally) async {
            while true {
                do {
                    let answer = try await client.post("/projects/CORE/issues", ["title": title])
                    await tally.add(answer.status == 201 ? nil : "\(answer.status)")
                    if answer.headers["connection"] == "close" { return }
                } catch {
                    return await tally.add("\(error)")
                }
            }
        }

        @Test("A server whose port is taken ends and says what to set")
        func takenPort() async throws {
            try await withTracker { tracker in
                let (status, text) = try await ServerProcess.failure(
                    tracker.url, port: tracker.servers[0].port)
                #expect(status == 1)
                #expect(text.contains("Tracker: Another program uses the port. Set PORT to another one."))
            }
        }

        @Test("A server outlives a stop of its database")
        func databaseStopped() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tracker-\(UUID())")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            defer { try? FileManager.default.removeItem(at: folder) }
            let cluster = try DevelopmentCluster(in: folder.appending(path: "postgres"))
            let url = try cluster.start()
            defer { _ = try? cluster.stop() }
            let container = try await PersistentContainer.open(
                url, model: .tracker, options: TrackerApp.options)
            try await container.perform { try Seed.insert(into: $0) }
            await container.close()
            let server = try await ServerProcess.serve(url)
            var client = Client(server)
            try await client.logIn("ada", "lovelace")
            #expect(try await client.get("/projects").status == 200)

            _ = try cluster.stop()
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.get("/livez").status == 200)
            #expect(try await client.get("/projects").status == 503)

            _ = try cluster.start()
            try await wait("The server does not recover.") { try await client.get("/readyz").status == 200 }
            try await wait("The list does not recover.") { try await client.get("/projects").status == 200 }
            try await server.stop()
        }
    }
}
