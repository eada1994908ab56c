import Howdah
import HowdahModel
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Writers, and a program that keeps a copy of the store by its history, over failovers at random moments.
@Suite struct FailoverWalkTests {
    /// Indicates to the writers whether the server was ended.
    private final class End: Sendable {
        private let state = Atomic(false)

        var isReached: Bool { state.load(ordering: .relaxed) }
        func reach() { state.store(true, ordering: .relaxed) }
    }

    /// Saves new and changed objects until the server fails or `end` is reached.
    private func write(
        _ writer: Int, on server: ReplicatedServer, _ programs: FailoverPrograms, until end: End
    ) async throws {
        var options = programs.options
        options.keepsHistory = true
        let container = try await PersistentContainer.open(
            server.url, model: programs.model, options: options)
        var round = 0
        while !end.isReached {
            round += 1
            // The crash ends the save in progress: its objects are stored or not.
            try? await {
                let (count, number) = (Int.random(in: 1...20), round)
                try await container.perform { context in
                    var request = FetchRequest<Visitor>()
                    request.fetchLimit = 3
                    request.predicate = .format("name BEGINSWITH %@", "\(writer) ")
                    for visitor in try context.fetch(request) { visitor.name = "\(writer) again \(number)" }
                    for place in 0..<count { Visitor(context: context).name = "\(writer) \(number) \(place)" }
                    try context.save()
                }
            }()
        }
        await container.close()
    }

    @Test("A copy that follows the history equals the store after failovers that lose tails")
    func copyEqualsStore() async throws {
        try await FailoverPrograms.run(replicas: 1) { programs, store in
            var (server, copy) = (store.primary, FailoverCopy())
            var token = try await programs.token(server)
            for round in 1...(TestTier.isNightly ? 25 : 4) {
                let replica = try #require(store.replicas.last)
                let end = End()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 1...3 {
                        group.addTask { [server] in
                            try await write(writer, on: server, programs, until: end)
                        }
                    }
                    var disconnection = Int.random(in: 1...8)
                    for _ in 1...12 {
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                        disconnection -= 1
                        if disconnection == 0 { try await replica.disconnect() }
                        if Bool.random() {
                            token = try await copy.follow(programs, server, after: token)
                        }
                    }
                    await server.crash()
                    end.reach()
                    try await group.waitForAll()
                }
                try await replica.promote()
                await store.remove(server)
                server = replica
                // A token of the server's era is good for the next one only if a heartbeat of the era arrived.
                try await programs.beat(server)
                try await store.addReplica(of: server)
                let fresh = try await programs.save(5, on: server)
                let changed = try await programs.change(20, on: server)
                let reading = try await programs.read(after: token, on: server)
                #expect(fresh.union(changed).isSubset(of: reading.keys) && reading.isAfterFailover)
                token = try await copy.follow(programs, server, after: token)
                let stored = try FailoverCopy.rows(of: server)
                #expect(copy.rows == stored, "round \(round): \(copy.rows.count) of \(stored.count)")
            }
            #expect(copy.failovers > 0)
        }
    }
}

/// A copy of a store's rows that a program keeps by the history.
struct FailoverCopy {
    private(set) var rows: [Int64: String] = [:]
    private(set) var failovers = 0

    /// Reads the history after a token and then the rows that it names; returns the next token.
    nonisolated(nonsending) mutating func follow(
        _ programs: FailoverPrograms, _ server: ReplicatedServer, after token: HistoryToken
    ) async throws -> HistoryToken {
        let reading = try await programs.read(after: token, on: server)
        let now = try Self.rows(of: server)
        for key in reading.keys { rows[key] = now[key] }
        if reading.isAfterFailover {
            // Changes that the copy has may have been lost.
            failovers += 1
            for key in rows.keys { rows[key] = now[key] }
        }
        return reading.token
    }

    static func rows(of server: ReplicatedServer) throws -> [Int64: String] {
        let rows = try PlainSQL(url: server.url).rows(
            "SELECT \"_id\"::text, \"name\" FROM \"public\".\"visitor\"")
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                row[0].flatMap { Int64($0) }.map { ($0, row[1] ?? "") }
            })
    }
}
