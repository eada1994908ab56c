import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// With an isolation level, a run is one transaction and its saves are savepoints.
@Suite(.timeLimit(.minutes(60))) struct TransactionScopeTests {
    struct Refusal: Error {}

    /// An order that was not saved is there after the rollback, as every other change.
    @Test(arguments: [true, false]) func aRollbackKeepsAnUnsavedOrder(savesOwner: Bool) async throws {
        try await withTestStore(Binder.model()) { container in
            try await container.perform { try Binder.store(in: $0) }
            let handle = container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .repeatableRead) { context in
                    let binder = try context.fetch(Binder.self)[0]
                    if savesOwner { binder.name = "saved" } else { Label(context: context).text = "saved" }
                    try context.save()
                    binder.order.replace(with: binder.order.reversed())
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                let binder = try context.fetch(Binder.self)[0]
                #expect(binder.texts == "3210" && binder.changedPropertyNames.contains("order"))
                try context.save()
            }
            #expect(try await container.perform { try $0.fetch(Binder.self)[0].texts } == "3210")
        }
    }

    @Test func savesAreSeenByOthersOnlyAfterTheRun() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform(isolation: .readCommitted) { context in
                for name in ["Ada", "Grace"] {
                    Employee(context: context).firstName = name
                    try context.save()
                    try #expect(store.storedNames().isEmpty)
                }
                try #expect(context.count(Employee.self) == 2)
            }
            try #expect(store.storedNames() == ["Ada", "Grace"])
        }
    }

    @Test func aFailedSaveLeavesTheEarlierOneAndTheTransactionUsable() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform(isolation: .readCommitted) { context in
                let research = Department(context: context)
                research.name = "Research"
                try context.save()
                let twin = Department(context: context)
                twin.name = "Research"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .uniqueness)
                twin.name = "Sales"
                try context.save()
            }
            let names = try await store.container.perform { context in
                try context.fetch(Department.self, sortedBy: .key("name")).map(\.name)
            }
            #expect(names == ["Research", "Sales"])
        }
    }

    @Test func anErrorUndoesAllSavesOfAOneOffRun() async throws {
        try await CompanyStore.with { store in
            await #expect(throws: Refusal.self) {
                try await store.container.perform(isolation: .serializable) { context in
                    for name in ["Ada", "Grace"] {
                        Employee(context: context).firstName = name
                        try context.save()
                    }
                    throw Refusal()
                }
            }
            try #expect(store.storedNames().isEmpty)
        }
    }

    /// Inserts, updates of both saves, a deletion and links come back as pending, and the next save stores them.
    @Test(arguments: [false, true])
    func aRollbackMakesEverythingPendingAgain(changesAfterTheLastSave: Bool) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            let handle = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let apollo = Project(context: context)
                    apollo.title = "Apollo"
                    let changed = try context.existingObject(with: ids[0])
                    changed.firstName = "Ada"
                    apollo.members.insert(changed)
                    try context.save()

                    let research = Department(context: context)
                    research.name = "Research"
                    apollo.title = "Gemini"
                    changed.lastName = "Lovelace"
                    changed.department = research
                    apollo.members.insert(try context.existingObject(with: ids[1]))
                    context.delete(try context.existingObject(with: ids[2]))
                    try context.save()
                    #expect(!context.hasChanges)

                    if changesAfterTheLastSave {
                        changed.visits = 7
                        research.budget = 12
                    }
                    throw Refusal()
                }
            }
            try #expect(store.storedNames() == ["E0", "E1", "E2"])

            try await handle.perform { context in
                #expect(Set(context.insertedObjects.map(\.entityName)) == ["Project", "Department"])
                #expect(context.deletedObjects.count == 1)
                let changed = try context.existingObject(with: ids[0])
                #expect(context.updatedObjects == [changed])
                #expect(changed.department?.name == "Research")
                #expect(changed.department?.employees.count == 1)
                #expect(changed.projects.count == 1)
                try context.save()
                #expect(!context.hasChanges)
            }
            try await store.container.perform { context in
                let ada = try context.existingObject(with: ids[0])
                #expect(ada.firstName == "Ada")
                #expect(ada.lastName == "Lovelace")
                #expect(ada.department?.name == "Research")
                #expect(ada.visits == (changesAfterTheLastSave ? 7 : 0))
                #expect(ada.department?.budget == (changesAfterTheLastSave ? 12 : 0))
                #expect(ada.projects.map(\.title) == ["Gemini"])
                #expect(Set(ada.projects.objects[0].members.map(\.objectID)) == Set(ids[0...1]))
                try #expect(context.count(Employee.self) == 2)
            }
        }
    }

    @Test func anObjectMovedInARolledBackRunIsCountedWhereItWillBe() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.container.perform { context in
                let departments = ["Research", "Sales"].map { name in
                    let department = Department(context: context)
                    department.name = name
                    return department
                }
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                ada.department = departments[0]
                try context.save()
                return departments.map(\.objectID)
            }
            let handle = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .repeatableRead) { context in
                    let ada = try context.fetch(Employee.self)[0]
                    ada.department = try context.existingObject(with: ids[1])
                    try context.save()
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                let departments = try ids.map { try context.existingObject(with: $0) }
                #expect(departments.map { $0.employees.count } == [0, 1])
                #expect(departments.map { $0.employees.map(\.firstName) } == [[], ["Ada"]])
                try context.save()
            }
            try await store.container.perform { context in
                let counts = try ids.map { try context.existingObject(with: $0).employees.count }
                #expect(counts == [0, 1])
            }
        }
    }

    @Test func anObjectMadeAndDeletedInARolledBackRunIsGone() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let ada = Employee(context: context)
                    ada.firstName = "Ada"
                    try context.save()
                    context.delete(ada)
                    try context.save()
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                #expect(!context.hasChanges)
                try context.save()
            }
            try #expect(store.storedNames().isEmpty)
        }
    }

    /// What was read inside the transaction after a save is not what the store holds after the rollback.
    @Test func cleanObjectsAreReadAnewAfterARollback() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let id = try await store.container.perform { context in
                let research = Department(context: context)
                research.name = "Research"
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                ada.department = research
                try context.save()
                return ada.objectID
            }
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let ada = try context.existingObject(with: id)
                    context.delete(try #require(ada.department))
                    try context.save()
                    #expect(ada.department == nil)
                    ada.visits = 1
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                #expect(context.deletedObjects.map(\.entityName) == ["Department"])
                context.rollback()
                let ada = try context.existingObject(with: id)
                #expect(ada.department?.name == "Research")
                ada.visits += 1
                try context.save()
            }
        }
    }

    @Test(.needsSession) func aLostConnectionUndoesTheWholeRun() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            await #expect(throws: (any Error).self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    Employee(context: context).firstName = "Ada"
                    try context.save()
                    try store.terminateSessions()
                    Employee(context: context).firstName = "Grace"
                    try context.save()
                }
            }
            try #expect(store.storedNames().isEmpty)
            try await handle.perform { try $0.save() }
            try #expect(store.storedNames() == ["Ada", "Grace"])
        }
    }

    /// Of two saves that disagree about a link, the later one has the last word, pending as it was stored.
    @Test(arguments: [true, false])
    func linksOfTwoSavesAddUp(endsLinked: Bool) async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            let project = try await handle.perform { context in
                let apollo = Project(context: context)
                apollo.title = "Apollo"
                if endsLinked { apollo.members.insert(try context.existingObject(with: id)) }
                try context.save()
                return apollo.objectID
            }
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let members = try context.existingObject(with: project).members
                    let member = try context.existingObject(with: id)
                    for isLinked in [!endsLinked, endsLinked] {
                        if isLinked { members.insert(member) } else { members.remove(member) }
                        try context.save()
                    }
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                let apollo = try context.existingObject(with: project)
                #expect(apollo.members.map(\.firstName) == (endsLinked ? ["E0"] : []))
                try context.save()
            }
            try await store.container.perform { context in
                try #expect(context.existingObject(with: project).members.count == (endsLinked ? 1 : 0))
            }
        }
    }

    @Test func aResetInTheRunForgetsWhatItsSavesHadTaken() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let handle = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    try context.existingObject(with: ids[0]).firstName = "Ada"
                    context.delete(try context.existingObject(with: ids[1]))
                    try context.save()
                    context.reset()
                    throw Refusal()
                }
            }
            try await handle.perform { context in
                #expect(!context.hasChanges)
                try #expect(
                    context.fetch(Employee.self, sortedBy: .key("firstName")).map(\.firstName) == [
                        "E0", "E1",
                    ])
            }
        }
    }

    /// The server aborted the transaction; to return as if it had committed would lose the save without a word.
    @Test func aSwallowedErrorOfAStatementDoesNotLoseSavesSilently() async throws {
        try await CompanyStore.with { store in
            try store.execute("ALTER TABLE employee RENAME COLUMN visits TO visited")
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(isolation: .readCommitted) { context in
                    Department(context: context).name = "Research"
                    try context.save()
                    #expect(throws: FetchError.self) { try context.fetch(Employee.self) }
                }
            }
            #expect(error?.code == .database)
            #expect(error?.databaseError?.phase == .commit)
            #expect(try await store.container.perform { try $0.count(Department.self) } == 0)
        }
    }

    @Test(arguments: [false, true])
    func bothSidesOfAOneToOneComeBack(partnerHasChangesToo: Bool) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let handle = store.container.newBackgroundContext()
            let id = try await handle.perform { context in
                let research = Department(context: context)
                research.name = "Research"
                research.head = try context.existingObject(with: ids[0])
                try context.save()
                return research.objectID
            }
            await #expect(throws: Refusal.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    let next = try context.existingObject(with: ids[1])
                    try context.existingObject(with: id).head = next
                    if partnerHasChangesToo { next.visits = 1 }
                    try context.save()
                    throw Refusal()
                }
            }
            let check: @Sendable (ManagedObjectContext) throws -> Void = { context in
                let former = try context.existingObject(with: ids[0])
                let next = try context.existingObject(with: ids[1])
                #expect(former.heads == nil)
                #expect(next.heads?.name == "Research")
                #expect(next.heads?.head === next)
            }
            try await handle.perform { context in
                try check(context)
                try context.save()
                try check(context)
            }
            try await store.container.perform(check)
        }
    }
}
