import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A context keeps what it knows alive where it is told to.
@Suite(.timeLimit(.minutes(60))) struct RetainingTests {
    @Test func registeredObjectsStayAndGo() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 30)
            try await container.perform { context in
                func touch() throws { _ = try context.fetch(Employee.self) }
                try touch()
                #expect(context.registeredObjectCount == 0)
                context.retainsRegisteredObjects = true
                try touch()
                #expect(context.registeredObjectCount == 30)
                #expect(Set(context.registeredObjects.map(\.entityName)) == ["Employee"])
                weak let first = context.registeredObjects.first
                let id = try #require(first?.objectID)
                #expect(context.registeredObject(for: id) === first)
                context.retainsRegisteredObjects = false
                #expect(context.registeredObjectCount == 0 && first == nil)
                // What was known before counts too.
                let held = try context.fetch(Department.self)
                context.retainsRegisteredObjects = true
                context.retainsRegisteredObjects = true
                try touch()
                #expect(context.registeredObjectCount == 33)
                context.retainsRegisteredObjects = false
                #expect(context.registeredObjectCount == held.count)
            }
        }
    }

    @Test func deletedAndForgottenObjectsEnd() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 8)
            let handle = container.newBackgroundContext()
            try await handle.perform { context in
                context.retainsRegisteredObjects = true
                for person in try context.fetch(Employee.self).prefix(3) { context.delete(person) }
                let new = Employee(context: context)
                new.firstName = "new"
                try context.obtainPermanentIDs(for: [new])
                try context.save()
            }
            try await handle.perform { context in
                #expect(context.registeredObjects.count { $0.entityName == "Employee" } == 6)
                weak let one = context.registeredObjects.first
                #expect(one != nil)
                context.reset()
                #expect(one == nil && context.registeredObjectCount == 0)
                _ = try context.fetch(Employee.self)
                #expect(context.registeredObjectCount == 6)
            }
        }
    }
}
