import Foundation
import Howdah
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

    /// Ten streams that wait look as often as one.
    @Test func waitingStreamsShareOneLook() async throws {
        try await LiveStore.with { store in
            let token = try await store.container.currentHistoryToken()
            let streams = (0..<10).map { _ in
                Task {
                    for try await batch in store.container.changes(after: token) { return batch.changeCount }
                    return 0
                }
            }
            try await until { store.container.changeStreamStatus.followers == 10 }
            _ = try await hire(store.other, "a")
            for stream in streams { #expect(try await stream.value == 1) }
            try await until { store.container.changeStreamStatus.followers == 0 }
        }
    }

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
            try await until {
                try await handle.perform { try $0.existingObject(with: id).firstName == "b" }
            }
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            try await until { try await handle.perform { $0.registeredObject(for: id) == nil } }
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
            let end = ContinuousClock.now + .seconds(120)
            while employee.firstName != "b", .now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(employee.firstName == "b")
        }
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try await !condition() {
            guard .now < end else {
                Issue.record("It did not happen within 120 s.")
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
