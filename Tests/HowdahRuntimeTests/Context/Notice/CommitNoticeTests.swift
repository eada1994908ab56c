import Howdah
import HowdahTesting
import Synchronization
import Testing

@testable import HowdahRuntime

/// Saves are told once they are committed, in order, and never where they are not.
@Suite(.timeLimit(.minutes(60))) struct CommitNoticeTests {
    @Test func savesOfATransactionAreToldAfterItsCommit() async throws {
        try await CompanyStore.with { store in
            let lines = try await store.container.lines(isolation: .readCommitted) { context in
                let person = Employee(context: context)
                person.firstName = "x"
                try context.save()
                person.visits = 1
                try context.save()
                context.delete(person)
                context.processPendingChanges()
            }
            #expect(
                lines == [
                    "didChange +E", "willSave", "didChange ~E", "willSave", "didChange -E", "didSave +E",
                    "didSave ~E",
                ])
        }
    }

    @Test func whoeverIsToldFindsTheRows() async throws {
        try await CompanyStore.with { store in
            var saves = store.container.saves.makeAsyncIterator()
            for number in 0..<5 {
                async let saved = store.container.perform(isolation: .readCommitted) { context in
                    Employee(context: context).firstName = "N\(number)"
                    try context.save()
                    Employee(context: context).firstName = "M\(number)"
                    try context.save()
                }
                let notice = await saves.next()
                try #expect(store.storedNames().count == 2 * number + 2)
                #expect(notice?.insertedObjectIDs.count == 1)
                #expect(await saves.next()?.insertedObjectIDs.count == 1)
                try await saved
            }
        }
    }

    /// The next save is the first that anybody hears of; the context's own listener learns that all is different again.
    @Test func whatIsRolledBackIsNotTold() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            var saves = store.container.saves.makeAsyncIterator()
            let handle = store.container.newBackgroundContext()
            let notices = handle.notices
            await #expect(throws: CancellationError.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    try context.existingObject(with: id).visits = 7
                    Project(context: context).title = "P"
                    try context.save()
                    throw CancellationError()
                }
            }
            try await handle.perform { try $0.save() }
            let lines = await notices.prefix(5).reduce(into: []) { $0.append(NoticeLines.line($1)) }
            #expect(
                lines == ["didChange +P ~E", "willSave", "didChange *E", "willSave", "didSave +P ~E"])
            let saved = await saves.next()
            #expect(saved.map(NoticeLines.lists) == " +P ~E")
        }
    }

    @Test func aRetriedRunIsToldOnce() async throws {
        try await CompanyStore.with { store in
            var saves = store.container.saves.makeAsyncIterator()
            let attempts = Mutex(0)
            let id = try await store.container.perform(
                isolation: .serializable, retrying: .conflicts(upTo: 3)
            ) { context in
                let person = Employee(context: context)
                person.firstName = "x"
                try context.save()
                let attempt = attempts.withLock { count in
                    count += 1
                    return count
                }
                if attempt < 3 { throw SaveError(.conflict, "again") }
                return person.objectID
            }
            #expect(attempts.withLock(\.self) == 3)
            #expect(await saves.next()?.insertedObjectIDs == [id.typed()])
            let next = try await store.hire(1)[0]
            #expect(await saves.next()?.insertedObjectIDs == [next.typed()])
        }
    }

    /// A save that fails is announced, and not told.
    @Test func aFailedSaveIsNotTold() async throws {
        try await CompanyStore.with { store in
            let lines = try await store.container.lines { context in
                let room = Room(context: context)
                #expect(throws: SaveError.self) { try context.save() }
                context.delete(room)
                try context.save()
            }
            #expect(lines == ["didChange +R", "willSave", "didChange -R"])
        }
    }
}
