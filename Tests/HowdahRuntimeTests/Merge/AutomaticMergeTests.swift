import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// Contexts that merge what others save by themselves, and when.
@Suite(.timeLimit(.minutes(60))) struct AutomaticMergeTests {
    @Test func aHandleMergesWhenItsNextRunBegins() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let handle = store.container.newBackgroundContext()
            let notices = handle.notices
            try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                let person = try context.existingObject(with: ids[0])
                person.visits = 1
                try store.saved { try $0.existingObject(with: ids[0]).firstName = "theirs" }
                try #expect(context.fetch(Employee.self).contains { $0.firstName == "E0" }, "not in a run")
            }
            try await handle.perform { context in
                let person = context.object(with: ids[0])
                #expect(person.firstName == "theirs" && person.visits == 1)
                try context.save()
                #expect(context.inbox?.take() == nil, "its own saves are no news to it")
                context.automaticallyMergesChangesFromParent = false
                try store.saved { try $0.existingObject(with: ids[0]).firstName = "later" }
            }
            try await handle.perform { context in
                #expect(context.registeredObject(for: ids[0])?.firstName ?? "theirs" == "theirs")
                #expect(!context.store.notices.hasListeners(besides: nil))
            }
            let lines = await notices.prefix(4).reduce(into: []) { $0.append(NoticeLines.line($1)) }
            #expect(lines == ["didChange ~E", "didMerge ~E *E", "willSave", "didSave ~E"])
        }
    }

    @Test func aContextThatEndsIsForgotten() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { $0.automaticallyMergesChangesFromParent = true }
            do {
                let handle = store.container.newBackgroundContext()
                try await handle.perform { $0.automaticallyMergesChangesFromParent = true }
            }
            while store.container.store.notices.hasListeners(besides: nil) {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// One that is too far behind reads all it has; what is gone leaves, and unsaved changes stay.
    @Test func whoIsTooFarBehindReadsEverything() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                let people = try ids.map { try context.existingObject(with: $0) }
                people[0].visits = 1
                people[1].visits = 1
                let many = Array(repeating: ids[2].typed(as: ManagedObject.self), count: 10_001)
                context.inbox?.add(SaveNotice(updated: many))
                try store.saved { context in
                    try context.existingObject(with: ids[0]).firstName = "theirs"
                    context.delete(context.object(with: ids[1]))
                    try context.existingObject(with: ids[2]).visits = 5
                }
            }
            store.container.statementLog.start()
            try await handle.perform { context in
                #expect(context.registeredObject(for: ids[0])?.firstName == "theirs")
                #expect(context.updatedObjects.map(\.objectID) == [ids[0].typed()])
                #expect(context.registeredObject(for: ids[1]) == nil)
                #expect(store.container.statementLog.count == 1)
                try context.save()
            }
        }
    }

    @Test func aMergeThatFailsIsDoneLater() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(1)
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                context.automaticallyMergesChangesFromParent = true
                try context.existingObject(with: ids[0]).visits = 1
                try store.saved { try $0.existingObject(with: ids[0]).firstName = "theirs" }
            }
            let lock = try EmployeeLock(store)
            await #expect(throws: (any Error).self) {
                try await handle.perform(timeout: .milliseconds(50)) { _ in }
            }
            lock.release()
            try await handle.perform { context in
                let person = context.object(with: ids[0])
                #expect(person.firstName == "theirs" && person.visits == 1)
                try context.save()
            }
        }
    }

    /// Without waiting for anything but the main actor.
    @Test @MainActor func theViewContextMergesWhenTheMainActorIsFree() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(1)
            let context = store.container.viewContext
            context.automaticallyMergesChangesFromParent = true
            var notices = context.notices.makeAsyncIterator()
            let person = try context.existingObject(with: ids[0])
            person.visits = 1
            try await store.container.perform { context in
                try context.existingObject(with: ids[0]).firstName = "theirs"
                try context.save()
            }
            let lines = await [notices.next(), notices.next()].map { $0.map(NoticeLines.line) }
            #expect(lines == ["didChange ~E", "didMerge ~E *E"])
            #expect(person.firstName == "theirs" && person.visits == 1)
            try context.save()
            // A merge that fails shows, and is tried again.
            person.visits = 2
            try store.saved { try $0.existingObject(with: ids[0]).firstName = "gone wrong" }
            context.noteFailure(FetchError(.database, "as if the server were away"))
            while context.inbox?.isMarked != true { await Task.yield() }
            #expect(person.firstName == "theirs")
            context.clearFailure()
            while person.firstName != "gone wrong" { await Task.yield() }
            #expect(person.visits == 2)
            try context.save()
        }
    }
}
