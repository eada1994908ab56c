import Foundation
import Howdah
import HowdahTesting
import Testing

/// A body runs inside the calling task, whatever thread it is on.
@Suite(.timeLimit(.minutes(60))) struct PerformTests {
    @TaskLocal static var request = "none"

    @Test func taskLocalsReachTheBody() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let seen = try await Self.$request.withValue("7") {
                [
                    try await store.container.perform { _ in Self.request },
                    try await handle.perform { _ in Self.request },
                    try handle.performAndWait { _ in Self.request },
                ]
            }
            #expect(seen == ["7", "7", "7"])
            #expect(try await store.container.perform { _ in Self.request } == "none")
        }
    }

    @Test func expectationsInTheBodyBelongToTheTest() async throws {
        try await CompanyStore.with { store in
            let test = Test.current
            let name = try await store.container.perform { _ in Test.current?.name }
            #expect(name != nil && name == test?.name)
            // Fails on purpose: what is recorded in a body has to arrive here, or nothing would be known to be amiss.
            await withKnownIssue {
                try await store.container.perform { _ in #expect(Bool(false), "recorded inside a body") }
            }
        }
    }

    @Test func theBodySeesThatItsTaskWasCancelled() async throws {
        try await CompanyStore.with { store in
            let latch = Latch()
            let container = store.container
            let task = Task {
                try await container.perform { _ in
                    latch.wait()
                    return Task.isCancelled
                }
            }
            try await latch.untilWaiting(1)
            task.cancel()
            latch.open()
            #expect(try await task.value)
        }
    }

    @Test @MainActor func theMainActorIsNotBlocked() async throws {
        try await CompanyStore.with { store in
            let latch = Latch()
            let container = store.container
            let task = Task { try await container.perform { _ in latch.wait() } }
            try await latch.untilWaiting(1)
            // The first body is still blocked; the main actor goes on, and is where we are after it.
            #expect(try await container.perform { _ in true })
            MainActor.preconditionIsolated()
            latch.open()
            try await task.value
        }
    }

    @Test func anErrorOfTheBodyIsThrownAndTheHandleStaysUsable() async throws {
        struct Refusal: Error {}
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform { context in
                    Employee(context: context).firstName = "Ada"
                    throw Refusal()
                }
            }
            #expect(throws: Refusal.self) { try handle.performAndWait { _ in throw Refusal() } }
            try await handle.perform { context in
                #expect(context.insertedObjects.count == 1)
                try context.save()
            }
            try #expect(store.storedNames() == ["Ada"])
        }
    }

    @Test func eachOneOffContextIsFresh() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(3)
            for _ in 0..<3 {
                try await store.container.perform { context in
                    #expect(context.registeredObjectCount == 0)
                    let people = try context.fetch(Employee.self)
                    #expect(context.registeredObjectCount == 3)
                    #expect(people.count == 3)
                }
            }
        }
    }
}
