#if os(Linux)
import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import Tracker

extension TrackerTests {
    @Suite struct SlowReaderTests {
        @Test(
            "A client that does not read is disconnected, others go on, and it comes back to the same board")
        func isCut() async throws {
            try await withTracker(["TRACKER_PATIENCE": "2"]) { tracker in
                let ids = try await Self.addIssues(to: tracker.container)
                let (server, token) = (tracker.servers[0], tracker.client.token)
                let reader = BoardClient([server], token: token)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await reader.follow("CORE", from: 0) }
                    let slow = try SlowReader(server, path: "/projects/CORE/events", token: token)
                    try await wait("The streams do not begin.") {
                        await reader.columns.count == 3 && slow.hasAnswer
                    }
                    try #require(try slow.isConnected)
                    var changes = 0
                    try await wait("The client is not disconnected.") {
                        changes += 1
                        try await Self.change(
                            ids[changes % ids.count], to: "Change \(changes)", tracker.container)
                        return try !slow.isConnected
                    }
                    try await Self.change(ids[0], to: "The last one", tracker.container)
                    let board = try await tracker.client.get("/board/CORE").decoded(Page<ColumnDocument>.self)
                    let expected = Dictionary(uniqueKeysWithValues: board.items.map { ($0.status, $0) })
                    try await wait("The other client stopped.") { await reader.columns == expected }

                    let back = BoardClient([server], token: token)
                    #expect(await back.receive(slow.body()))
                    #expect(await back.columns != expected)
                    group.addTask { await back.follow("CORE", from: 0) }
                    try await wait("The client has another board.") { await back.columns == expected }
                    group.cancelAll()
                }
            }
        }

        @Test("A client that does not read does not delay the end of a server")
        func shutdown() async throws {
            try await withTracker(["TRACKER_PATIENCE": "1000"]) { tracker in
                let ids = try await Self.addIssues(to: tracker.container)
                let (server, token) = (tracker.servers[0], tracker.client.token)
                let reader = BoardClient([server], token: token)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await reader.follow("CORE", from: 0) }
                    let slow = try SlowReader(server, path: "/projects/CORE/events", token: token)
                    try await wait("The streams do not begin.") { slow.hasAnswer }
                    var sizes: [Int] = []
                    try await wait("The buffers are never full.") {
                        let title = "Change \(sizes.count)"
                        try await Self.change(ids[0], to: title, tracker.container)
                        try await wait("The other client stopped.") { await reader.has(title) }
                        sizes.append(try #require(try slow.waiting))
                        return sizes.count > 5 && Set(sizes.suffix(4)).count == 1
                    }
                    server.send(SIGTERM)
                    #expect(try await server.status() == 0)
                    group.cancelAll()
                }
            }
        }

        @Test("A stream that is not read keeps the newest board only")
        func keepsOne() async throws {
            try await withSeed { _, container in
                let ids = try await Self.addIssues(1, to: container)
                let project = try await container.perform { context in
                    try context.fetch(Project.self, where: #Predicate { $0.key == "CORE" })[0].objectID
                        .typed(as: Project.self)
                }
                let boards = Boards(container)
                let unread = try await boards.states(of: project)
                var states = try await boards.states(of: project).makeAsyncIterator()
                for number in 1...5 {
                    try await Self.change(ids[0], to: "Change \(number)", container)
                    while let board = await states.next(), !Self.has("Change \(number)", board) {}
                }
                await boards.end()
                let kept = await unread.reduce(into: [Board]()) { $0.append($1) }
                #expect(kept.map { Self.has("Change 5", $0) } == [true])
            }
        }

        private static func has(_ title: String, _ board: Board) -> Bool {
            board.columns.contains { $0.json.contains(title) }
        }

        /// Makes the board larger than the buffers of a connection.
        private static func addIssues(
            _ count: Int = 400, to container: PersistentContainer
        ) async throws -> [ObjectID<Tracker.Issue>] {
            try await container.perform(retrying: .conflicts(upTo: 3)) { context in
                let project = try context.fetch(Project.self, where: #Predicate { $0.key == "CORE" })[0]
                let author = try context.fetch(User.self, where: #Predicate { $0.login == "ada" })[0]
                let title = String(repeating: "字", count: 200)
                let issues = try (0..<count).map { _ in try project.addIssue(title: title, author: author) }
                try context.save()
                return issues.map { $0.objectID.typed() }
            }
        }

        private static func change(
            _ id: ObjectID<Tracker.Issue>, to title: String, _ container: PersistentContainer
        ) async throws {
            try await container.perform(retrying: .conflicts(upTo: 3)) { context in
                try context.existingObject(with: id).title = title
                try context.save()
            }
        }
    }
}
#endif
