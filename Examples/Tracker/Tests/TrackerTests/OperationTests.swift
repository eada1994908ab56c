import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import Synchronization
import Testing

@testable import Tracker

extension TrackerTests {
    /// Shutdowns and failures.
    @Suite struct OperationTests {
        @Test("SIGTERM under load fails no request, ends the streams and exits with 0")
        func shutdown() async throws {
            try await withTracker { tracker in
                let (server, failures, done) = (tracker.servers[0], Mutex<[String]>([]), Atomic(0))
                let browser = BoardClient([server], token: tracker.client.token)
                defer { browser.end() }
                let watching = Task { await browser.follow("CORE", from: 0) }
                try await wait("The stream does not begin.") { await browser.columns.count == 3 }
                let load = (0..<8).map { number in
                    Task { [client = tracker.client] in
                        while true {
                            // A client that a server asks to leave opens no connection to it again.
                            let answer: Client.Answer
                            do {
                                answer = try await client.post(
                                    "/projects/CORE/issues", ["title": "Load \(number)"])
                            } catch {
                                failures.withLock { $0.append("\(error)") }
                                return
                            }
                            done.add(1, ordering: .relaxed)
                            if answer.status != 201 { failures.withLock { $0.append("\(answer.status)") } }
                            if answer.headers["connection"] == "close" { return }
                        }
                    }
                }
                try await wait("There is no load.") { done.load(ordering: .relaxed) > 50 }
                server.send(SIGTERM)
                #expect(try await server.status() == 0)
                for task in load { await task.value }
                watching.cancel()
                #expect(failures.withLock { $0 } == [])
                #expect(await browser.connections == 1)
                let count = try await tracker.container.perform { context in
                    try context.count(
                        for: FetchRequest<Issue>(where: #Predicate { $0.title.starts(with: "Load") }))
                }
                #expect(count == done.load(ordering: .relaxed))
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
            defer { client.end() }
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
