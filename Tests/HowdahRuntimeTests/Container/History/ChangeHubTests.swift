import Foundation
import Howdah
import LocalPostgres
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// One look at the history for all who follow a store.
@Suite(.timeLimit(.minutes(60))) struct ChangeHubTests {
    private func hire(_ container: PersistentContainer, _ name: String) async throws -> ObjectID<Employee> {
        try await container.perform { context in
            let employee = Employee(context: context)
            employee.firstName = name
            try context.save()
            return employee.objectID
        }
    }

    @Test func remoteChangesAreNotices() async throws {
        try await LiveStore.with { store in
            let start = try await store.container.currentHistoryToken()
            let notices = store.container.remoteChanges
            let found = Mutex<StoreRemoteChange?>(nil)
            let first = Task {
                for try await notice in notices { return found.withLock { $0 = notice } }
            }
            // The loop hears of changes from its beginning on.
            while found.withLock({ $0 == nil }) { _ = try await hire(store.other, "a") }
            try await first.value
            let heard = found.withLock { $0 }
            let change = try #require(heard)
            let history = try await store.container.perform { context in
                try context.execute(HistoryRequest.fetch(after: start))
            }
            #expect(!history.transactions.isEmpty)
            #expect(change.token != start)
            await store.container.close()
            for try await _ in notices { Issue.record("The container is closed.") }
        }
    }

    /// Ten streams that wait look as often as one: the hub's looks are all the statements.
    ///
    /// On a server of its own: while a program writes to the log all the time, its end is never flushed.
    @Test(arguments: [false, true]) func waitingStreamsShareOneLook(writes: Bool) async throws {
        let server = try await onThread { try LocalCluster.start() }
        defer { server.stop() }
        let writer = try writes ? KeptSQL(server.url(database: "postgres")) : nil
        try writer?.rows("SET synchronous_commit = off")
        let writing = Task.detached {
            guard let writer else { return }
            _ = await onThread { try? writer.rows(Self.endlessWriting) }
        }
        try await LiveStore.with(at: server.url(database: "postgres")) { store in
            let (container, log) = (store.container, store.container.statementLog)
            let token = try await container.currentHistoryToken()
            let streams = (0..<10).map { _ in
                Task {
                    for try await batch in container.changes(after: token) { return batch.changeCount }
                    return 0
                }
            }
            // A look takes one statement, or three if any program on the server has committed. Each stream looks once
            // before it waits, and again after a notice that came from outside. Looks of their own would be 30 for 1.
            log.start()
            var former = container.hub.looks
            try await until("shared look of ten streams") {
                guard container.hub.looks >= former + 10 else {
                    return "\(container.hub.looks - former) looks, status \(container.changeStreamStatus)"
                }
                let statements = log.events.count { $0.sql.hasPrefix(HistoryStatements.mark) }
                let looks = container.hub.looks - former
                let followers = container.changeStreamStatus.followers
                if followers == 10, statements <= 3 * (looks + 1) { return nil }
                log.start()
                former = container.hub.looks
                return "\(statements) statements in \(looks) looks for \(followers) streams"
            }
            log.stop()
            _ = try await hire(store.other, "a")
            for stream in streams { #expect(try await stream.value == 1) }
            try await until("end of the streams") {
                let followers = container.changeStreamStatus.followers
                return followers == 0 ? nil : "\(followers) streams"
            }
        }
        server.stop(.immediate)
        await writing.value
    }

    /// Commits without a flush, about each millisecond.
    private static let endlessWriting = """
        DO $$BEGIN LOOP
            PERFORM pg_logical_emit_message(true, 'test', ''); COMMIT; PERFORM pg_sleep(0.001);
        END LOOP; END$$
        """

    @Test func streamsMissNothingWhileTheHubBegins() async throws {
        try await LiveStore.with { store in
            for number in 0..<20 {
                let token = try await store.container.currentHistoryToken()
                let stream = Task {
                    var seen = 0
                    for try await batch in store.container.changes(after: token) {
                        seen += batch.changeCount
                        if seen == 3 { return seen }
                    }
                    return seen
                }
                for _ in 0..<3 { _ = try await hire(store.other, "\(number)") }
                #expect(try await stream.value == 3)
            }
        }
    }

    @Test func contextsMergeChangesOfOtherProcesses() async throws {
        try await LiveStore.with { store in
            let id = try await hire(store.other, "a")
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                context.retainsRegisteredObjects = true
                let name = try context.existingObject(with: id).firstName
                #expect(name == "a")
            }
            try await store.other.perform { context in
                try context.existingObject(with: id).firstName = "b"
                try context.save()
            }
            try await until("change") {
                let name = try await handle.perform { try $0.existingObject(with: id).firstName }
                return name == "b" ? nil : "the name \(name)"
            }
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            try await until("deletion") {
                try await handle.perform { $0.registeredObject(for: id) == nil ? nil : "the object" }
            }
        }
    }

    /// A save of the same container comes by its notice, not by the history a second time.
    @Test func ownSavesAreNotMergedTwice() async throws {
        try await LiveStore.with { store in
            let handle = store.container.newBackgroundContext()
            let id = try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                context.retainsRegisteredObjects = true
                let employee = Employee(context: context)
                employee.firstName = "a"
                try context.save()
                return employee.objectID
            }
            let token = try await store.container.currentHistoryToken()
            try await store.container.hub.catchUp(to: token)
            // The hub's start makes the context read everything once.
            try await handle.perform { _ in }
            try await handle.perform { context in
                let employee = try context.existingObject(with: id)
                employee.visits = 1
                try context.save()
            }
            try await store.container.hub.catchUp(to: store.container.currentHistoryToken())
            let isFault = try await handle.perform { $0.registeredObject(for: id)?.isFault }
            #expect(isFault == false)
        }
    }

    @Test @MainActor func viewContextFollowsOtherProcesses() async throws {
        try await LiveStore.with { store in
            let id = try await hire(store.other, "a")
            let context = store.container.viewContext
            context.automaticallyMergesChangesFromParent = true
            let employee = try context.existingObject(with: id)
            #expect(employee.firstName == "a")
            try await store.other.perform { context in
                try context.existingObject(with: id).firstName = "b"
                try context.save()
            }
            try await until("change") {
                employee.firstName == "b" ? nil : "the name \(employee.firstName)"
            }
        }
    }

    /// Waits for a state, also on a machine that stands still for a minute.
    ///
    /// - Parameter look: Returns nil if the state is there, and else what is there instead.
    private func until(_ state: String, _ look: () async throws -> String?) async throws {
        let end = ContinuousClock.now + .seconds(1_200)
        while let seen = try await look() {
            guard .now < end else {
                Issue.record("After 20 minutes there was no \(state). The last look found \(seen).")
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
