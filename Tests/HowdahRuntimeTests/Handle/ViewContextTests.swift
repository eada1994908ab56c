import Foundation
import Howdah
import HowdahTesting
import Testing

/// The main actor's context: the same each time, synchronous, and without `perform`.
@Suite(.timeLimit(.minutes(60))) struct ViewContextTests {
    @Test @MainActor func objectsLiveBetweenCalls() async throws {
        try await CompanyStore.with { store in
            let context = store.container.viewContext
            #expect(context === store.container.viewContext)
            let ada = Employee(context: context)
            ada.firstName = "Ada"
            let research = Department(context: context)
            research.name = "Research"
            ada.department = research
            try context.save()
            await Task.yield()
            #expect(research.employees.map(\.firstName) == ["Ada"])
            try await store.container.perform { context in
                try context.fetch(Employee.self)[0].firstName = "Grace"
                try context.save()
            }
            #expect(ada.firstName == "Ada")
            context.refresh(ada)
            #expect(ada.isFault)
            #expect(ada.firstName == "Grace")
            #expect(context.failure == nil)
        }
    }

    @Test @MainActor func aFailedFaultShowsAsFailure() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let context = store.container.viewContext
            try store.execute("DELETE FROM employee WHERE first_name = 'E0'")
            #expect(context.object(with: ids[0]).firstName == "")
            #expect((context.failure as? FetchError)?.code == .objectNotFound)
            #expect(throws: FetchError.self) { try context.fetch(Employee.self) }
            #expect(throws: FetchError.self) { try context.save() }
            context.clearFailure()
            try #expect(context.fetch(Employee.self).map(\.firstName) == ["E1"])
        }
    }

    @Test @MainActor func aResetDetachesObjectsAndKeepsTheirValuesReadable() async throws {
        try await CompanyStore.with { store in
            let context = store.container.viewContext
            let ada = Employee(context: context)
            ada.firstName = "Ada"
            ada.location = Location(latitude: 51.5, longitude: -0.1)
            let research = Department(context: context)
            research.name = "Research"
            ada.department = research
            try context.save()
            let id = ada.objectID
            context.reset()
            #expect(context.registeredObjectCount == 0)
            #expect(ada.firstName == "Ada")
            #expect(ada.location == Location(latitude: 51.5, longitude: -0.1))
            #expect(ada.department == nil)
            #expect(research.employees.isEmpty)
            #expect(ada.managedObjectContext == nil)
            #expect(ada.objectID == id)
            let again = try context.existingObject(with: id)
            #expect(again !== ada)
            #expect(again.department?.name == "Research")
        }
    }

    @Test @MainActor func closingTheContainerDetachesItsObjects() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let ada = try store.container.viewContext.existingObject(with: id)
            await store.container.close()
            #expect(ada.firstName == "E0")
            #expect(ada.managedObjectContext == nil)
        }
    }
}
