import Howdah
import HowdahTesting
import Testing

/// With `propagatesDeletesAtEndOfEvent`, delete rules show in memory before the save.
@Suite struct PropagationTests {
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
