import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct RefreshTests {
    /// Somebody else's change of another property shows, ours stays, and the save meets no conflict.
    @Test func mergingKeepsOwnChangesOnTopOfTheStore() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                person.firstName = "mine"
                try store.execute(
                    "UPDATE employee SET last_name = 'theirs', first_name = 'x', _version = _version + 1")
                store.container.statementLog.start()
                try context.refresh(person, mergeChanges: true)
                #expect(store.container.statementLog.count == 1)
                #expect(person.firstName == "mine" && person.lastName == "theirs")
                #expect(person.committedValues(forKeys: ["firstName"])["firstName"] as? String == "x")
                #expect(person.isUpdated)
                try context.save()
            }
            try #expect(store.storedNames() == ["mine"])
        }
    }

    /// A fetch that brings newer rows leaves the links that are not saved yet, and the save stores them.
    @Test(arguments: [0, 1, 2]) func aFetchOfNewerRowsKeepsUnsavedLinks(levels: Int) async throws {
        try await withTestStore(Binder.model()) { container in
            try await container.perform { try Binder.store(in: $0) }
            let peer = container.newBackgroundContext()
            try await container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                let binder = try context.fetch(Binder.self)[0]
                let label = Label(context: context)
                try save(context)
                #expect(binder.labels.count == 1 && label.binders.isEmpty)
                binder.labels.insert(label)
                try peer.performAndWait { other in
                    other.reset()
                    for binder in try other.fetch(Binder.self) { binder.place = "theirs" }
                    for label in try other.fetch(Label.self) { label.text = "theirs" }
                    try other.save()
                }
                var level = context.parent
                while let parent = level {
                    try parent.refreshAllObjects()
                    level = parent.parent
                }
                var (binders, labels) = (FetchRequest<Binder>(), FetchRequest<Label>())
                binders.shouldRefreshRefetchedObjects = true
                labels.shouldRefreshRefetchedObjects = true
                #expect(try context.fetch(binders)[0].place == "theirs")
                #expect(try context.fetch(labels).allSatisfy { $0.text == "theirs" })
                #expect(binder.labels.count == 2 && binder.labels.contains(label))
                #expect(label.binders.map(\.objectID) == [binder.objectID])
                try save(context)
                #expect(binder.labels.count == 2)
            }
            #expect(try await container.perform { try $0.fetch(Binder.self)[0].labels.count } == 2)
        }
        @Sendable func save(_ context: ManagedObjectContext) throws {
            var level: ManagedObjectContext? = context
            while let context = level {
                try context.save()
                level = context.parent
            }
        }
    }

    /// A to-one that the hook of a refresh changes is dropped on both of its sides.
    @Test func whatWillTurnIntoFaultChangesIsDroppedOnBothSides() async throws {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            try await container.perform { context in
                let (object, other) = (Hooked(context: context), Hooked(context: context))
                try context.save()
                #expect(other.below.isEmpty)
                let trial = HookTrial(hook: .willTurnIntoFault, operation: .link)
                context.userInfo["trial"] = trial
                trial.isArmed = true
                context.refresh(object)
                #expect(!trial.isArmed)
                #expect(object.above == nil && other.below.isEmpty && !context.hasChanges)
            }
        }
    }

    @Test func withoutMergingChangesAreDropped() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                person.firstName = "mine"
                try context.refresh(person, mergeChanges: false)
                #expect(person.isFault && !context.hasChanges && person.firstName == "E0")
            }
        }
    }

    @Test func aGoneRowIsNamedAndTheChangesStay() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let people = try ids.map { try context.existingObject(with: $0) }
                for person in people { person.firstName += "!" }
                try store.execute("DELETE FROM employee WHERE first_name = 'E1'")
                let error = #expect(throws: FetchError.self) {
                    try context.refresh(people[1], mergeChanges: true)
                }
                #expect(error?.code == .objectNotFound)
                #expect(error?.objectURI == ids[1].uriRepresentation.absoluteString)
                #expect(people[1].firstName == "E1!" && people[1].isUpdated && !people[1].isFault)
                #expect(throws: FetchError.self) { try context.refreshAllObjects() }
                #expect(people[0].firstName == "E0!" && people[0].isUpdated)
            }
        }
    }

    @Test func allObjectsAreRefreshedInOneStatement() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(20)
            try await store.container.perform { context in
                let people = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                #expect(people.count == ids.count)
                for person in people.prefix(5) { person.lastName = "changed" }
                try store.execute("UPDATE employee SET visits = 7, _version = _version + 1")
                store.container.statementLog.start()
                try context.refreshAllObjects()
                #expect(store.container.statementLog.count == 1)
                #expect(people.allSatisfy { $0.visits == 7 })
                #expect(store.container.statementLog.count == 2, "the unchanged ones are one cohort")
                #expect(people.filter { $0.lastName == "changed" }.count == 5)
                try context.save()
            }
        }
    }

    /// Pending members stay members of a refreshed owner, whatever side they were set from.
    @Test func pendingRelationshipsSurviveAMerge() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                let project = Project(context: context)
                project.title = "P"
                try context.save()
                let person = Employee(context: context)
                person.firstName = "new"
                department.employees.insert(person)
                department.head = person
                project.members.insert(person)
                department.budget = 5
                project.title = "Q"
                try context.refresh(department, mergeChanges: true)
                try context.refresh(project, mergeChanges: true)
                #expect(department.employees.objects == [person] && department.head === person)
                #expect(project.members.objects == [person] && project.title == "Q")
                try context.save()
                context.refresh(department)
                #expect(department.employees.objects == [person] && department.budget == 5)
            }
        }
    }

    @Test func permanentIDsComeBeforeTheSave() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                let person = Employee(context: context)
                person.firstName = "x"
                person.department = department
                try context.obtainPermanentIDs(for: [person, department])
                let id = person.objectID
                #expect(!id.isTemporaryID && person.isInserted)
                #expect(context.registeredObject(for: id) === person)
                try #expect(context.existingObject(with: id) === person)
                store.container.statementLog.start()
                try context.obtainPermanentIDs(for: [person])
                #expect(store.container.statementLog.count == 0)
                try context.save()
                #expect(person.objectID == id && department.employees.objects == [person])
            }
        }
    }

    /// A fault without a row fails the context, or becomes a deleted object where that was asked for.
    @Test func inaccessibleFaultsFollowThePolicy() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try store.execute("DELETE FROM employee WHERE first_name = 'E1'")
            try await store.container.perform { context in
                context.shouldDeleteInaccessibleFaults = true
                let gone = context.object(with: ids[1])
                #expect(gone.firstName.isEmpty && gone.isDeleted)
                #expect(context.failure == nil && !context.hasChanges)
                try context.existingObject(with: ids[0]).firstName = "saved"
                try context.save()
            }
            // Set afterwards, it takes the failure back.
            try await store.container.perform { context in
                let gone = context.object(with: ids[1])
                #expect(gone.firstName.isEmpty && context.failure != nil)
                context.shouldDeleteInaccessibleFaults = true
                #expect(context.failure == nil && gone.firstName.isEmpty && gone.isDeleted)
                context.delete(gone)
                #expect(!context.hasChanges)
                #expect(try context.existingObject(with: ids[0]).firstName == "saved")
                try context.save()
            }
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { _ = $0.object(with: ids[1]).firstName }
            }
            #expect(error?.code == .objectNotFound)
            try #expect(store.storedNames() == ["saved"])
        }
    }
}
