import Howdah
import HowdahTesting
import TestSupport
import Testing

/// With `propagatesDeletesAtEndOfEvent`, delete rules show in memory before the save.
@Suite struct PropagationTests {
    /// The hook of a member that a cascade loads takes the deletion back: nothing is deleted.
    @Test(arguments: [HookOperationTests.Operation.rollback, .reset], [0, 1])
    func aDeletionThatAHookTakesBackEnds(_ operation: HookOperationTests.Operation, levels: Int) async throws
    {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            let id = try await container.perform { context in
                let root = Hooked(context: context)
                for _ in 0..<3 { Hooked(context: context).above = root }
                try context.save()
                return root.objectID
            }
            try await container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                context.propagatesDeletesAtEndOfEvent = true
                let trial = HookTrial(hook: .awakeFromFetch, operation: operation)
                context.userInfo["trial"] = trial
                context.delete(try context.existingObject(with: id))
                trial.isArmed = true
                context.processPendingChanges()
                #expect(!trial.isArmed && context.deletedObjects.isEmpty)
                try context.save()
                if levels > 0 { try root.save() }
            }
            #expect(try await container.perform { try $0.count(Hooked.self) } == 4)
        }
    }

    @Test func rulesAreAppliedInMemory() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                let person = Employee(context: context)
                person.firstName = "x"
                person.department = department
                let project = Project(context: context)
                project.title = "P"
                project.members.insert(person)
                let room = Room(context: context)
                (room.number, room.department) = (1, department)
                try context.save()
                return (department.objectID, person.objectID, room.objectID, project.objectID)
            }
            try await store.container.perform { context in
                context.propagatesDeletesAtEndOfEvent = true
                let department = try context.existingObject(with: ids.0)
                context.delete(department)
                context.processPendingChanges()
                let person = try context.existingObject(with: ids.1)
                #expect(person.department == nil && person.isUpdated)
                #expect(context.object(with: ids.2).isDeleted)
                #expect(context.deletedObjects.count == 2)
                let project = try context.existingObject(with: ids.3)
                context.delete(person)
                context.processPendingChanges()
                #expect(project.members.isEmpty)
                context.rollback()
                #expect(person.department === department && !department.isDeleted)
                #expect(project.members.objects == [person])
                context.delete(department)
                try context.save()
                #expect(person.department == nil)
                try #expect(context.count(Room.self) == 0)
                try #expect(context.count(Employee.self) == 1)
            }
        }
    }
}
