import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// Children that follow their parent: what siblings push, and what the parent saves and merges.
@Suite(.timeLimit(.minutes(60))) struct ChildMergeTests {
    @Test func siblingsFollowEachOther() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(4)
            let parent = store.container.newBackgroundContext()
            let (first, second, other) = (
                parent.newChildContext(), parent.newChildContext(), parent.newChildContext()
            )
            let notices = second.notices
            for child in [second, other] {
                try await child.perform { context in
                    context.automaticallyMergesChangesFromParent = child === second
                    context.retainsRegisteredObjects = true
                    let people = try ids.map { try context.existingObject(with: $0) }
                    people[0].visits = 1
                    people[3].lastName = "kept"
                }
            }
            try await first.perform { context in
                try context.existingObject(with: ids[0]).firstName = "theirs"
                try context.existingObject(with: ids[1]).firstName = "changed"
                context.delete(try context.existingObject(with: ids[2]))
                Employee(context: context).firstName = "New"
                try context.save()
            }
            store.container.statementLog.start()
            try await second.perform { context in
                let people = ids.map { context.registeredObject(for: $0) }
                #expect(people[0]?.firstName == "theirs" && people[0]?.visits == 1)
                #expect(people[1]?.firstName == "changed" && people[1]?.hasChanges == false)
                #expect(people[2] == nil && people[3]?.lastName == "kept")
                #expect(context.updatedObjects.count == 2)
                #expect(store.container.statementLog.count == 0, "the parent has it")
                try #expect(Self.names(context) == ["E3", "New", "changed", "theirs"])
                try context.save()
                #expect(context.inbox?.take() == nil, "its own saves are no news to it")
            }
            try await other.perform { context in
                let people = ids.map { context.registeredObject(for: $0) }
                #expect(people.map { $0?.firstName } == ["E0", "E1", "E2", "E3"])
            }
            try await parent.perform { try $0.save() }
            try #expect(store.storedNames().sorted() == ["E3", "New", "changed", "theirs"])
            let lines = await notices.prefix(4).reduce(into: []) { $0.append(NoticeLines.line($1)) }
            #expect(lines == ["didChange ~EE", "didMerge +E ~EE -E *EE", "willSave", "didSave ~EE"])
        }
    }

    /// Relationships have the members that siblings gave them, and unsaved ones.
    @Test func relationshipsFollowToo() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let (first, second) = (context.newChildContext(), context.newChildContext())
                second.automaticallyMergesChangesFromParent = true
                let here = try Hierarchy(ids, second)
                let own = Employee(context: second)
                (own.firstName, own.department) = ("own", here.department)
                here.project.members.insert(own)
                #expect(here.department.employees.count == 2 && here.project.members.count == 2)
                let there = try Hierarchy(ids, first)
                let new = Employee(context: first)
                (new.firstName, new.department) = ("new", there.department)
                there.project.members.insert(new)
                there.project.members.remove(there.person)
                first.delete(there.rooms[0])
                try first.save()
                // Those of one isolation merge at once.
                #expect(Set(here.department.employees.map(\.firstName)) == ["x", "new", "own"])
                #expect(Set(here.project.members.map(\.firstName)) == ["new", "own"])
                #expect(here.department.rooms.objects == [here.rooms[1]] && here.rooms[0].isDetached)
                #expect(second.insertedObjects == [own] && own.department === here.department)
                try second.save()
                try context.save()
            }
            try await store.container.perform { context in
                let department = try context.existingObject(with: ids.department)
                #expect(Set(department.employees.map(\.firstName)) == ["x", "new", "own"])
                let project = try context.existingObject(with: ids.project)
                #expect(Set(project.members.map(\.firstName)) == ["new", "own"])
            }
        }
    }

    @Test func aChildFollowsWhatItsParentSavesAndMerges() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            let parent = store.container.newBackgroundContext()
            let (child, grandchild) = (parent.newChildContext(), parent.newChildContext().newChildContext())
            for handle in [parent, child] {
                try await handle.perform { context in
                    context.automaticallyMergesChangesFromParent = true
                    context.retainsRegisteredObjects = true
                    for id in ids { _ = try context.existingObject(with: id) }
                }
            }
            // Above this one is one that does not follow.
            try await grandchild.perform { context in
                context.automaticallyMergesChangesFromParent = true
                context.retainsRegisteredObjects = true
                _ = try context.existingObject(with: ids[0])
            }
            try await child.perform { $0.object(with: ids[1]).visits = 1 }
            try await parent.perform { context in
                context.object(with: ids[0]).firstName = "parent's"
                try child.performAndWait { context in
                    #expect(context.object(with: ids[0]).firstName == "E0", "not saved yet")
                }
                try context.save()
            }
            try store.saved { context in
                try context.existingObject(with: ids[1]).firstName = "merged"
                context.delete(try context.existingObject(with: ids[2]))
            }
            try await child.perform { context in
                #expect(context.object(with: ids[0]).firstName == "parent's")
                #expect(context.object(with: ids[1]).firstName == "merged")
                #expect(context.object(with: ids[1]).visits == 1)
                #expect(context.registeredObject(for: ids[2]) == nil)
                try context.save()
            }
            try await grandchild.perform { context in
                #expect(context.object(with: ids[0]).firstName == "E0")
            }
            try await parent.perform { try $0.save() }
        }
    }

    /// Down to where somebody follows, each by the one above.
    @Test func grandchildrenFollowTheirParents() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let middle = context.newChildContext()
                let (low, sibling) = (middle.newChildContext(), context.newChildContext())
                for child in [middle, low] { child.automaticallyMergesChangesFromParent = true }
                let people = try ids.map { try low.existingObject(with: $0) }
                people[0].visits = 1
                let held = try middle.existingObject(with: ids[1])
                try sibling.existingObject(with: ids[0]).firstName = "A"
                try sibling.existingObject(with: ids[1]).firstName = "B"
                try sibling.save()
                #expect(people.map(\.firstName) == ["A", "B"] && held.firstName == "B")
                #expect(people[0].visits == 1 && low.updatedObjects == [people[0]])
                middle.automaticallyMergesChangesFromParent = false
                try sibling.existingObject(with: ids[1]).firstName = "C"
                try sibling.save()
                #expect(people[1].firstName == "B" && held.firstName == "B")
                // What is merged by hand is passed on as well.
                try middle.mergeChanges(updated: [ids[1]])
                #expect(people[1].firstName == "C" && held.firstName == "C")
                try low.save()
                try middle.save()
                try context.save()
            }
            try #expect(store.storedNames().sorted() == ["A", "C"])
        }
    }

    @Test func aMergeByHandKeepsWhatIsUnsaved() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let parent = store.container.newBackgroundContext()
            let (first, second) = (parent.newChildContext(), parent.newChildContext())
            var notices = first.notices.makeAsyncIterator()
            try await second.perform { context in
                context.retainsRegisteredObjects = true
                try context.existingObject(with: ids[0]).visits = 1
                context.delete(try context.existingObject(with: ids[1]))
            }
            try await first.perform { context in
                for id in ids { try context.existingObject(with: id).firstName = "theirs" }
                try context.save()
            }
            var saved: SaveNotice?
            while saved == nil, let notice = await notices.next() {
                if case .didSave(let notice) = notice { saved = notice }
            }
            let notice = try #require(saved)
            try await second.perform { context in
                let person = context.object(with: ids[0])
                #expect(person.firstName == "E0")
                try context.mergeChanges(from: notice)
                #expect(person.firstName == "theirs" && person.visits == 1)
                #expect(context.deletedObjects.map(\.objectID) == [ids[1].typed()])
                try context.save()
            }
            try await parent.perform { context in
                let person = try context.existingObject(with: ids[0])
                #expect(person.firstName == "theirs" && person.visits == 1)
                try context.save()
            }
            try #expect(store.storedNames() == ["theirs"])
        }
    }

    /// What is new in the parent has another id once it is saved; news of it from before still find it.
    @Test func newsOfNewObjectsFindThem() async throws {
        try await CompanyStore.with { store in
            for isObtained in [true, false] {
                let parent = store.container.newBackgroundContext()
                let (first, second) = (parent.newChildContext(), parent.newChildContext())
                let id = try await parent.perform { context in
                    let new = Employee(context: context)
                    new.firstName = "new"
                    return new.objectID
                }
                try await second.perform { context in
                    context.automaticallyMergesChangesFromParent = true
                    context.retainsRegisteredObjects = true
                    try context.existingObject(with: id).visits = 1
                }
                try await first.perform { context in
                    try context.existingObject(with: id).firstName = "changed"
                    try context.save()
                }
                try await parent.perform { context in
                    if isObtained {
                        try context.obtainPermanentIDs(for: context.insertedObjects)
                    } else {
                        try context.save()
                    }
                }
                try await second.perform { context in
                    let person = try #require(context.updatedObjects.first as? Employee)
                    #expect(person.objectID.key > 0)
                    #expect(person.firstName == "changed" && person.visits == 1)
                    try context.save()
                }
                try await parent.perform { try $0.save() }
            }
            try #expect(store.storedNames() == ["changed", "changed"])
        }
    }

    /// A save inside of a transaction is one once that is committed.
    @Test func whatIsRolledBackIsNotFollowed() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let parent = store.container.newBackgroundContext()
            let child = parent.newChildContext()
            try await child.perform { context in
                context.automaticallyMergesChangesFromParent = true
                context.retainsRegisteredObjects = true
                _ = try context.existingObject(with: id)
            }
            struct Stop: Error {}
            for isCommitted in [false, true] {
                _ = try? await parent.perform(isolation: .readCommitted) { context in
                    try context.existingObject(with: id).firstName = "parent's"
                    try context.save()
                    if !isCommitted { throw Stop() }
                }
                try await child.perform { context in
                    #expect(context.object(with: id).firstName == (isCommitted ? "parent's" : "E0"))
                }
            }
        }
    }

    @Test func whoIsTooFarBehindPassesThatOn() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let parent = store.container.newBackgroundContext()
            let child = parent.newChildContext()
            for handle in [parent, child] {
                try await handle.perform { context in
                    context.automaticallyMergesChangesFromParent = true
                    context.retainsRegisteredObjects = true
                    for id in ids { _ = try context.existingObject(with: id) }
                }
            }
            try store.saved { try $0.existingObject(with: ids[0]).firstName = "theirs" }
            try await child.perform { $0.object(with: ids[0]).visits = 1 }
            try await parent.perform { context in
                try store.saved { try $0.existingObject(with: ids[1]).firstName = "later" }
                let many = Array(repeating: ids[1].typed(as: ManagedObject.self), count: 10_001)
                context.inbox?.add(SaveNotice(updated: many))
            }
            try await child.perform { context in
                #expect(context.object(with: ids[0]).firstName == "theirs")
                #expect(context.object(with: ids[0]).visits == 1)
                #expect(context.object(with: ids[1]).firstName == "later")
                try context.save()
            }
        }
    }

    @Test @MainActor func childrenOfTheViewContextFollowIt() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let view = store.container.viewContext
            view.automaticallyMergesChangesFromParent = true
            let (sheet, other) = (view.newChildContext(), view.newChildContext())
            sheet.automaticallyMergesChangesFromParent = true
            let (shown, person) = try (view.existingObject(with: id), sheet.existingObject(with: id))
            person.visits = 1
            try other.existingObject(with: id).firstName = "other"
            try other.save()
            #expect(person.firstName == "other" && shown.firstName == "other" && person.visits == 1)
            var notices = sheet.notices.makeAsyncIterator()
            try view.save()
            try await store.container.perform { context in
                try context.existingObject(with: id).firstName = "theirs"
                try context.save()
            }
            while person.firstName != "theirs" { await Task.yield() }
            #expect(shown.firstName == "theirs" && person.visits == 1)
            let lines = await [notices.next(), notices.next()].map { $0.map(NoticeLines.line) }
            #expect(lines == ["didMerge ~E *E", "didMerge ~E *E"])
            // One that failed says so, and goes on when that was seen.
            sheet.noteFailure(FetchError(.database, "as if the parent could not read"))
            try other.existingObject(with: id).lastName = "later"
            try other.save()
            #expect(person.lastName == nil)
            sheet.clearFailure()
            #expect(person.lastName == "later" && person.visits == 1 && sheet.failure == nil)
            try sheet.save()
            try view.save()
        }
    }

    private static func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Employee.self).map(\.firstName).sorted()
    }
}
