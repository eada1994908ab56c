import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A new object that is deleted is forgotten at once, and objects that left their context have no changes.
@Suite struct ForgottenObjectTests {
    private static func people(_ context: ManagedObjectContext) throws -> Int {
        try context.fetch(Employee.self).count
    }

    @Test func aDeletedNewObjectIsForgottenAtOnce() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let (kept, gone) = (Employee(context: context), Employee(context: context))
                let id = gone.objectID
                context.delete(gone)
                #expect(!gone.isInserted && !gone.isUpdated && !gone.hasChanges)
                #expect(context.insertedObjects == [kept] && context.deletedObjects.isEmpty)
                #expect(context.registeredObjects == [kept] && context.registeredObjectCount == 1)
                #expect(context.registeredObject(for: id) == nil)
                #expect(try Self.people(context) == 1)
                let error = #expect(throws: FetchError.self) { _ = try context.existingObject(with: id) }
                #expect(
                    error?.code == .objectNotFound
                        && error?.message.contains("was deleted before it was saved") == true)
                context.delete(kept)
                #expect(!context.hasChanges)
                let statements = store.container.statementLog.count
                try context.save()
                #expect(store.container.statementLog.count == statements)
            }
        }
    }

    /// Its delete rules apply, and it is out of the relationships that it was in.
    @Test func rulesOfAForgottenObjectApply() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                let department = Department(context: context)
                department.name = "New"
                person.department = department
                context.delete(department)
                try context.save()
                #expect(person.department == nil && !person.hasChanges)
            }
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                #expect(person.department == nil)
            }
        }
    }

    @Test func objectsThatLeftTheirContextHaveNoChanges() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            try await store.container.perform { context in
                let people = try ids.map { try context.existingObject(with: $0) }
                // Deleted and saved.
                context.delete(people[0])
                #expect(people[0].hasChanges && people[0].isDeleted)
                try context.save()
                #expect(!people[0].hasChanges && people[0].isDeleted)
                // Taken away by a reset, with changes.
                let new = Employee(context: context)
                people[1].visits = 5
                context.delete(people[2])
                #expect(new.isInserted && people[1].isUpdated && people[2].hasChanges)
                context.reset()
                for object in [new, people[1], people[2]] {
                    #expect(!object.isInserted && !object.isUpdated && !object.hasChanges)
                }
                // Undone by a rollback.
                let other = Employee(context: context)
                context.rollback()
                #expect(!other.isInserted && !other.hasChanges)
            }
            // Outlived by its objects: a context that ended.
            try await store.container.perform { context in
                var child: ManagedObjectContext? = context.newChildContext()
                let object = try #require(child.map { Employee(context: $0) })
                #expect(object.isInserted)
                child = nil
                #expect(!object.isInserted && !object.hasChanges && object.managedObjectContext == nil)
            }
        }
    }
}
