import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// What children tell, and what is told of them.
@Suite(.timeLimit(.minutes(60))) struct ChildNoticeTests {
    @Test func aPushIsASaveOfTheChildAndAChangeOfTheParent() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let parent = store.container.newBackgroundContext()
            let child = parent.newChildContext()
            let (above, below) = (parent.notices, child.notices)
            var saves = store.container.saves.makeAsyncIterator()
            try await child.perform { context in
                let new = Employee(context: context)
                (new.firstName, new.department) = ("n", try context.existingObject(with: ids.department))
                try context.existingObject(with: ids.project).members.insert(new)
                context.delete(try context.existingObject(with: ids.rooms[0]))
                try context.save()
                // Without changes there is no save to be told.
                try context.save()
            }
            try await parent.perform { try $0.save() }
            let expected = ["didChange +E ~DP -R", "willSave", "didSave +E ~DP -R"]
            #expect(await Self.lines(below, 3) == expected)
            #expect(await Self.lines(above, 3) == expected)
            let first = await saves.next()
            #expect(first.map(NoticeLines.lists) == " +E ~DP -R")
            #expect(first?.insertedObjectIDs.allSatisfy { $0.key > 0 } == true)
            try store.saved { try $0.existingObject(with: ids.person).visits = 1 }
            #expect(await saves.next().map(NoticeLines.lists) == " ~E", "pushes are not among them")
        }
    }

    @Test func aRefusedPushIsNoSave() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let parent = store.container.newBackgroundContext()
            let child = parent.newChildContext()
            let (above, below) = (parent.notices, child.notices)
            try await child.perform { try $0.existingObject(with: id).firstName = "mine" }
            try await parent.perform { try $0.existingObject(with: id).firstName = "parent's" }
            await #expect(throws: SaveError.self) { try await child.perform { try $0.save() } }
            try await child.perform { context in
                context.rollback()
                Employee(context: context).firstName = "fine"
                try context.save()
            }
            #expect(
                await Self.lines(below, 6) == [
                    "didChange ~E", "willSave", "didChange *E", "didChange +E", "willSave", "didSave +E",
                ])
            #expect(await Self.lines(above, 2) == ["didChange ~E", "didChange +E"])
        }
    }

    /// A grandchild's save is one of its own, and a change one level up; the root hears when it comes there.
    @Test func eachLevelTellsItsOwn() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let root = store.container.newBackgroundContext()
            let middle = root.newChildContext()
            let low = middle.newChildContext()
            let notices = [root, middle, low].map(\.notices)
            try await low.perform { context in
                try context.existingObject(with: id).firstName = "low"
                try context.save()
            }
            try await middle.perform { try $0.save() }
            try await root.perform { context in
                #expect(context.hasChanges)
                try context.save()
            }
            for notices in notices {
                #expect(await Self.lines(notices, 3) == ["didChange ~E", "willSave", "didSave ~E"])
            }
        }
    }

    private static func lines(_ notices: Notices<ContextNotice>, _ count: Int) async -> [String] {
        await notices.prefix(count).reduce(into: []) { $0.append(NoticeLines.line($1)) }
    }
}
