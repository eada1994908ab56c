import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct IdentityTests {
    @Test func oneRowIsOneObject() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 6)
            try await container.perform { context in
                let fetched = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                let again = try context.fetch(Employee.self, matching: .format("department.name == 'd00000'"))
                #expect(again.allSatisfy { object in fetched.contains { $0 === object } })
                let department = try #require(fetched[0].department)
                #expect(department.employees.allSatisfy { object in fetched.contains { $0 === object } })
                #expect(try context.existingObject(with: fetched[0].objectID) === fetched[0])
                #expect(context.object(with: fetched[1].objectID) === fetched[1])
                #expect(context.registeredObject(for: fetched[2].objectID) === fetched[2])
                #expect(
                    try context.fetch("Employee", matching: .format("SELF == %@", fetched[3].objectID)) == [
                        fetched[3]
                    ])
            }
        }
    }

    @Test func releasedObjectsLeaveTheContext() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 20)
            try await container.perform { context in
                var objects = try context.fetch(Employee.self)
                let id = objects[7].objectID
                #expect(context.registeredObjectCount == 20)
                objects[3].visits = 1
                objects = []
                #expect(context.registeredObjectCount == 1, "only the changed one is kept")
                #expect(context.registeredObject(for: id) == nil)
                #expect(try context.fetch(Employee.self).filter { $0.visits == 1 }.count == 1)
                context.rollback()
                #expect(context.registeredObjectCount == 0)
            }
        }
    }

    @Test func idsSurviveTheContainer() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let first = try await PersistentContainer.open(database.url, model: Company.model())
            let (uri, temporary) = try await first.perform { context in
                let department = Department(context: context)
                department.name = "R"
                let temporary = department.objectID
                #expect(temporary.isTemporaryID)
                let same = try context.existingObject(with: temporary)
                #expect(same === department)
                #expect(context.registeredObject(for: temporary) === department)
                try context.save()
                #expect(!department.objectID.isTemporaryID)
                #expect(department.objectID != temporary)
                #expect(context.registeredObject(for: department.objectID) === department)
                #expect(context.registeredObject(for: temporary) == nil)
                return (department.objectID.uriRepresentation, temporary)
            }
            await first.close()
            let second = try await PersistentContainer.open(database.url, model: Company.model())
            let id = try #require(ObjectID<Department>(uriRepresentation: uri))
            try await second.perform { context in
                let found = try context.existingObject(with: id)
                #expect(found.name == "R")
                expect(.foreignID) { try context.existingObject(with: temporary) }
            }
            await second.close()
        }
    }

    @Test func foreignIDsAreTypedErrors() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            let employee = try await container.perform { context in
                try #require(try context.fetch(Employee.self).first).objectID
            }
            let uri = employee.uriRepresentation.absoluteString
            let other = uri.replacing(container.storeIdentifier.uuidString, with: UUID().uuidString)
            let unknown = uri.replacing("/Employee/", with: "/Nobody/")
            let gone = uri.replacing("/p", with: "/p99")
            try await container.perform { context in
                expect(.foreignID) { try context.existingObject(with: id(other)) }
                expect(.foreignID) { try context.existingObject(with: id(unknown)) }
                expect(.foreignID) { try context.existingObject(with: employee.typed(as: Department.self)) }
                expect(.objectNotFound) { try context.existingObject(with: id(gone)) }
                let known = try id(uri)
                #expect(try context.existingObject(with: known).firstName == "e000")
                #expect(context.failure == nil)
            }
        }
    }

    /// An id that names the wrong class of a hierarchy never makes an object of that class from the row.
    @Test func idsOfTheWrongClassAreTypedErrors() async throws {
        try await withTestStore(Staff.model()) { container in
            let uri = try await container.perform { context in
                let worker = Worker(context: context)
                worker.name = "Ada"
                try context.save()
                return worker.objectID.uriRepresentation.absoluteString
            }
            let text = uri.replacing("/Worker/", with: "/Boss/")
            let url = try #require(URL(string: text))
            let wrong = try #require(ObjectID<ManagedObject>(uriRepresentation: url))
            try await container.perform { context in
                expect(.foreignID) { try context.existingObject(with: wrong) }
                let found = try context.fetch(Person.self)
                #expect(found.count == 1)
                #expect(found.first is Worker)
            }
            await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    #expect(context.object(with: wrong).value(forKey: "name") as? String == "")
                }
            }
        }
    }

    private func id(_ uri: String) throws -> ObjectID<Employee> {
        let url = try #require(URL(string: uri))
        return try #require(ObjectID(uriRepresentation: url))
    }
}
