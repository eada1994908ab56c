import Foundation
import Howdah
import HowdahTesting

@testable import Tracker

/// A database with the data of `Tracker seed`.
func withSeed<T: Sendable>(
    _ body: (_ url: String, _ container: PersistentContainer) async throws -> T
) async throws -> T {
    try await withTemporaryDatabase(for: .tracker, options: TrackerApp.options) { database in
        let container = try await PersistentContainer.open(
            database.url, model: .tracker, options: TrackerApp.options)
        let result: Result<T, any Error>
        do {
            try await container.perform { try Seed.insert(into: $0) }
            result = .success(try await body(database.url, container))
        } catch { result = .failure(error) }
        await container.close()
        return try result.get()
    }
}

/// A database with the data of `Tracker seed`, and a server that uses it.
func withTracker<T: Sendable>(
    _ environment: [String: String] = [:], servers count: Int = 1,
    _ body: (TrackerUnderTest) async throws -> T
) async throws -> T {
    try await withSeed { url, container in
        var servers: [ServerProcess] = []
        for _ in 0..<count { servers.append(try await .serve(url, environment)) }
        var client = Client(servers[0])
        try await client.logIn("ada", "lovelace")
        let result: Result<T, any Error>
        do {
            result = .success(
                try await body(
                    TrackerUnderTest(
                        url: url, container: container, servers: servers, client: client)))
        } catch { result = .failure(error) }
        for server in servers where server.isRunning { try await server.stop() }
        return try result.get()
    }
}

struct TrackerUnderTest {
    let url: String
    let container: PersistentContainer
    let servers: [ServerProcess]
    /// A client of the first server, logged in as Ada.
    let client: Client

    /// The address of an issue of the seed.
    func issue(_ number: Int = 1) async throws -> String {
        let page = try await client.get("/projects/CORE/issues?where=number%20%3D%3D%20\(number)")
        return "/issues/\(try page.decoded(Page<IssueDocument>.self).items[0].id)"
    }
}
