import Foundation
import Howdah
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Followers of a store whose server, history or container ends under them.
@Suite(.timeLimit(.minutes(60))) struct FetchedResultsFailureTests {
    /// The waits for a lock on the employees. Tables of other databases have the same numbers.
    private static let waits = """
        SELECT FROM pg_locks WHERE NOT granted AND relation = 'employee'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    private func hire(_ container: PersistentContainer, _ name: String) async throws {
        try await container.perform { context in
            let employee = Employee(context: context)
            employee.firstName = name
            try context.save()
        }
    }

    private func names(_ container: PersistentContainer) -> FetchedResults<Employee> {
        container.fetchedResults(Employee.self, sortedBy: .ascending(\.firstName))
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try await !condition() {
            try #require(.now < end, "It did not happen within 120 s.")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends all sessions of the database but the one that asks.
    private func endSessions(_ store: LiveStore) throws {
        try PlainSQL(url: store.url).script(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    private func code(_ body: () async throws -> Void) async -> HistoryError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? HistoryError
        }
    }

    @Test func killedSessionsLoseNothing() async throws {
        try await LiveStore.with { store in
            var replay = Replay(names(store.container))
            try await replay.catchUp()
            var stream = store.container.changes(after: try await store.container.currentHistoryToken())
                .makeAsyncIterator()
            var streamed: Set<ObjectID<ManagedObject>> = []
            for number in 0..<12 {
                try endSessions(store)
                // The writer is not under test: it tries again, perhaps after a commit.
                while (try? await hire(store.other, "\(number)")) == nil {}
                if number % 2 == 0 { try endSessions(store) }
                let plain = PlainSQL(url: store.url)
                let ids = try plain.rows(
                    "SELECT _id::text FROM employee ORDER BY first_name COLLATE \"C\", _id")
                while streamed.count < ids.count {
                    let batch = try #require(try await stream.next())
                    streamed.formUnion(batch.transactions.flatMap { $0.changes.map(\.changedObjectID) })
                }
                while replay.ids.count < ids.count {
                    replay.take(try #require(try await replay.iterator.next()))
                }
                #expect(replay.ids.map { "\($0.key)" } == ids.map { $0[0] })
            }
        }
    }

    /// Without a history, or with one that does not count yet, each kind of loop says what to do.
    @Test(arguments: [false, true]) func missingHistoryIsAnError(isEnabled: Bool) async throws {
        try await LiveStore.with { store in
            if isEnabled {
                try PlainSQL(url: store.url).script(
                    "UPDATE _howdah_history_current SET slot = NULL")
            } else {
                try PlainSQL(url: store.url).script("ALTER TABLE _howdah_history_state RENAME TO gone")
            }
            let remedy = isEnabled ? "howdah history start" : "howdah history enable"
            let (container, results) = (store.container, names(store.container))
            let errors = [
                await code { for try await _ in results { break } },
                await code { for try await _ in results.values(of: "firstName") { break } },
                await code { for try await _ in container.remoteChanges { break } },
                await code { for try await _ in container.changes(after: nil) { break } },
            ]
            for error in errors {
                #expect(
                    error?.code == .noHistory && error?.message.contains(remedy) == true, "\(error as Any)")
            }
            #expect(container.changeStreamStatus.followers == 0)
        }
    }

    /// Loops that wait hear that the history is gone, and the container's status has the reason.
    @Test func aHistoryThatEndsEndsLoops() async throws {
        try await LiveStore.with { store in
            let (container, results) = (store.container, names(store.container))
            let token = try await container.currentHistoryToken()
            let loops = [
                Task {
                    var replay = Replay(results)
                    try await replay.catchUp()
                    return try await replay.iterator.next() != nil
                },
                Task {
                    for try await _ in container.remoteChanges { return true }
                    return false
                },
                Task {
                    for try await _ in container.changes(after: token) { return true }
                    return false
                },
            ]
            try await until { container.changeStreamStatus.followers == 3 }
            try await until { container.changeStreamStatus.timeSinceLastPoll != nil }
            #expect(container.changeStreamStatus.failure == nil)
            try PlainSQL(url: store.url).script("ALTER TABLE _howdah_history_state RENAME TO gone")
            for loop in loops {
                #expect(await code { _ = try await loop.value }?.code == .noHistory)
            }
            try PlainSQL(url: store.url).script("ALTER TABLE gone RENAME TO _howdah_history_state")
            var second = Replay(results)
            try await until { (try? await second.catchUp()) != nil }
            try await until { container.changeStreamStatus.failure == nil }
        }
    }

    @Test func cancelledReadersEndAtOnce() async throws {
        try await LiveStore.with(connections: 2) { store in
            let (container, results) = (store.container, names(store.container))
            // The evaluation waits for the table; a reader that was cancelled does not wait for it.
            let plain = PlainSQL(url: store.url)
            let lock = try Connection(ConnectionConfiguration(TestPooler.direct(store.url)))
            defer { lock.close() }
            try lock.begin()
            _ = try lock.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
            let loops = (0..<3).map { _ in Task { for try await _ in results {} } }
            try await until {
                try plain.rows(Self.waits)
                    .count == 1
            }
            for loop in loops { loop.cancel() }
            for loop in loops { await #expect(throws: CancellationError.self) { try await loop.value } }
            try lock.rollback()
            try await until { container.changeStreamStatus.followers == 0 && container.followed.count == 0 }
            // The next reader does not get an evaluation that ended with another one.
            var replay = Replay(results)
            try await hire(store.other, "a")
            try await replay.catchUp()
            #expect(replay.ids.count == 1)
        }
    }

    /// Followers of one result that join, or leave, while it is read: those who stay get it.
    @Test func oneWhoJoinsAnEvaluationGetsItAndOneWhoLeavesTakesNothing() async throws {
        try await LiveStore.with { store in
            let results = names(store.container)
            try await hire(store.other, "a")
            var first = Replay(results)
            try await first.catchUp()
            let plain = PlainSQL(url: store.url)
            for round in 0..<3 {
                try await hire(store.other, "\(round)")
                let lock = try Connection(ConnectionConfiguration(TestPooler.direct(store.url)))
                defer { lock.close() }
                try lock.begin()
                _ = try lock.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
                let leaving = Task { for try await _ in results {} }
                try await until {
                    try plain.rows(Self.waits).count == 1
                }
                let joining = Task {
                    var replay = Replay(results)
                    replay.take(try #require(try await replay.iterator.next()))
                    return replay.ids.count
                }
                try await until { store.container.changeStreamStatus.followers == 3 }
                leaving.cancel()
                await #expect(throws: CancellationError.self) { try await leaving.value }
                try lock.rollback()
                first.take(try #require(try await first.iterator.next()))
                #expect(first.ids.count == round + 2)
                #expect(try await joining.value == round + 2)
                try await until { store.container.changeStreamStatus.followers == 1 }
            }
        }
    }

    /// The window of a gap is reported before the token moves, so that one who waits for it finds the gap.
    @Test func oneWhoWaitsForATokenFindsTheGapBeforeIt() async throws {
        try await LiveStore.with { store in
            var replay = Replay(names(store.container))
            try await replay.catchUp()
            for round in 0..<20 {
                try await hire(store.other, "\(round)")
                try await store.other.deleteHistory(before: store.other.currentHistoryToken())
                try await replay.catchUp()
                #expect(replay.ids.count == round + 1)
            }
        }
    }

    @Test func closingEndsEveryKindOfLoop() async throws {
        try await LiveStore.with { store in
            let (container, results) = (store.other, names(store.other))
            let token = try await container.currentHistoryToken()
            let loops = [
                Task { for try await _ in results {} },
                Task { for try await _ in results.values(of: "firstName") {} },
                Task { for try await _ in container.remoteChanges {} },
                Task { for try await _ in container.changes(after: token) {} },
            ]
            try await until { container.changeStreamStatus.followers == 4 }
            await container.close()
            for loop in loops { try await loop.value }
            #expect(container.changeStreamStatus.isClosed)
            // Loops that begin later end at once.
            for try await _ in results { Issue.record("The container is closed.") }
            for try await _ in container.remoteChanges { Issue.record("The container is closed.") }
            for try await _ in container.changes(after: token) { Issue.record("The container is closed.") }
        }
    }

    /// A purge between two looks is a new whole for results, and an error for a stream that missed changes.
    @Test func purgesAreGaps() async throws {
        try await LiveStore.with { store in
            let container = store.container
            let start = try await container.currentHistoryToken()
            var replay = Replay(names(container))
            try await replay.catchUp()
            for round in 0..<5 {
                try await hire(store.other, "\(round)")
                try await store.other.deleteHistory(
                    before: store.other.currentHistoryToken(), physically: round % 2 == 0)
                try await replay.catchUp()
                #expect(replay.ids.count == round + 1)
            }
            let stream = Task { for try await _ in container.changes(after: start) { return } }
            #expect(await code { try await stream.value }?.code == .tokenExpired)
        }
    }

    /// A token survives its process as text.
    @Test func streamsResumeInAnotherProcess() async throws {
        try await LiveStore.with { store in
            var token = try await store.container.currentHistoryToken()
            var seen: [ObjectID<ManagedObject>] = []
            for round in 0..<4 {
                for name in ["a", "b", "c"] { try await hire(store.other, name) }
                let known = HistoryToken(token.description)
                #expect(known == token)
                var stream = store.container.changes(after: known).makeAsyncIterator()
                while seen.count < 3 * (round + 1) {
                    let batch = try #require(try await stream.next())
                    seen += batch.transactions.flatMap { $0.changes.map(\.changedObjectID) }
                    token = batch.token
                }
            }
            #expect(seen.count == 12 && Set(seen).count == 12)
        }
    }
}
