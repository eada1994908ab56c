import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// A child reads what its parent has, unsaved changes included, and leaves the parent as it was.
@Suite struct ChildReadTests {
    @Test func fetchesSeeTheParentsPendingChangesAndTheChilds() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(5)
            try await store.container.perform { context in
                let new = Employee(context: context)
                new.firstName = "New"
                try context.existingObject(with: ids[1]).firstName = "Changed"
                context.delete(try context.existingObject(with: ids[2]))
                let child = context.newChildContext()
                #expect(child.parent === context)
                var request = FetchRequest<Employee>()
                request.sortDescriptors = [.key("firstName")]
                #expect(try child.fetch(request).map(\.firstName) == ["Changed", "E0", "E3", "E4", "New"])
                let people = try child.fetch(request)
                #expect(people.allSatisfy { $0.managedObjectContext === child && !$0.hasChanges })
                #expect(people[4].objectID == new.objectID && people[4] !== new)
                people[0].firstName = "Again"
                child.delete(people[2])
                Employee(context: child).firstName = "Own"
                people[4].firstName = "Newer"
                #expect(try child.fetch(request).map(\.firstName) == ["Again", "E0", "E4", "Newer", "Own"])
                #expect(try child.count(for: request) == 5)
                request.fetchLimit = 2
                request.fetchOffset = 3
                #expect(try child.fetch(request).map(\.firstName) == ["Newer", "Own"])
                request = FetchRequest<Employee>()
                request.includesPendingChanges = false
                request.sortDescriptors = [.key("firstName")]
                // The objects here show their changes whatever found them.
                #expect(try child.fetch(request).count == 5)
                #expect(
                    try child.count(Employee.self, where: #Predicate { $0.firstName == "New" }) == 0)
                // Of all that the parent knows nothing.
                request.includesPendingChanges = true
                #expect(try context.fetch(request).map(\.firstName) == ["Changed", "E0", "E3", "E4", "New"])
                #expect(context.insertedObjects == [new] && context.updatedObjects.count == 1)
            }
        }
    }

    @Test func fetchesFollowReferencesBetweenUnsavedObjects() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                try context.existingObject(with: ids[0]).department = department
                let child = context.newChildContext()
                let there = try #require(child.fetch(Department.self).first)
                let found = try child.fetch(
                    Employee.self, matching: .format("department == %@", there.objectID))
                #expect(found.map(\.firstName) == ["E0"])
                let other = try child.existingObject(with: ids[1])
                other.department = there
                #expect(
                    try child.count(Employee.self, matching: .format("department == %@", there.objectID)) == 2
                )
                #expect(
                    try child.count(Department.self, matching: .format("employees.@count == 2")) == 1)
                #expect(try context.count(Department.self, matching: .format("employees.@count == 1")) == 1)
            }
        }
    }

    @Test func objectsAreReadThroughTheParentByIDAndKey() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                try context.existingObject(with: id).firstName = "Here"
                let child = context.newChildContext()
                #expect(child.registeredObject(for: id) == nil)
                #expect(child.object(with: id).isFault)
                #expect(child.object(with: id).firstName == "Here")
                let twin = try child.existingObject(with: department.objectID)
                #expect(twin.name == "D" && twin.objectID.isTemporaryID && !twin.isInserted)
                #expect(try child.object(Department.self, naturalKey: "D") === twin)
                context.delete(try context.existingObject(with: id))
                child.reset()
                let gone = #expect(throws: FetchError.self) { try child.existingObject(with: id) }
                #expect(gone?.code == .objectNotFound)
                #expect(child.failure == nil && context.failure == nil)
                let stranger = Employee(context: child)
                let unknown = #expect(throws: FetchError.self) {
                    try context.existingObject(with: stranger.objectID)
                }
                #expect(unknown?.code == .foreignID)
            }
        }
    }

    @Test func relationshipsAreReadThroughTheParent() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let above = try Hierarchy(ids, context)
                let new = Employee(context: context)
                (new.firstName, new.department) = ("new", above.department)
                new.projects.insert(above.project)
                context.delete(above.rooms[0])
                let child = context.newChildContext()
                let here = try child.existingObject(with: ids.department)
                #expect(here.employees.count == 2 && here.rooms.count == 1)
                #expect(Set(here.employees.objects.map(\.firstName)) == ["x", "new"])
                #expect(here.rooms.objects.map(\.number) == [2])
                #expect(here.head?.firstName == "x" && here.head?.heads === here)
                let project = try child.existingObject(with: ids.project)
                let twin = try child.existingObject(with: new.objectID)
                #expect(project.members.contains(twin) && project.members.count == 2)
                #expect(twin.department === here && twin.projects.objects == [project])
                #expect(twin.heads == nil)
                #expect(!context.updatedObjects.contains(above.department) && !child.hasChanges)
            }
        }
    }

    @Test func readingTakesAStatementPerStepAsInOneContext() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                for number in 0..<10 {
                    let department = Department(context: context)
                    department.name = "D\(number)"
                    for place in 0..<3 {
                        let person = Employee(context: context)
                        (person.firstName, person.department) = ("\(number).\(place)", department)
                    }
                }
                try context.save()
            }
            let log = store.container.statementLog
            try await store.container.perform { context in
                let child = context.newChildContext()
                log.start()
                let departments = try child.fetch(Department.self)
                #expect(departments.count == 10 && log.count == 1)
                for department in departments { #expect(department.employees.count == 3) }
                #expect(log.count == 2)
                for department in departments { #expect(department.employees.objects.count == 3) }
                #expect(log.count == 3)
                for person in try child.fetch(Employee.self) { _ = person.department?.name }
                #expect(log.count == 4)
                child.reset()
                context.reset()
                for person in try child.fetch(Employee.self) { _ = person.department?.name }
                #expect(log.count == 6)
                child.reset()
                context.reset()
                var request = FetchRequest<Department>()
                request.relationshipKeyPathsForPrefetching = ["employees.projects"]
                let prefetched = try child.fetch(request)
                #expect(log.count == 9)
                for person in prefetched.flatMap(\.employees.objects) { _ = person.projects.objects }
                #expect(log.count == 9)
            }
        }
    }

    @Test func refreshRollbackAndResetGoBackToTheParent() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let above = try context.existingObject(with: ids[0])
                above.firstName = "above"
                let child = context.newChildContext()
                let person = try child.existingObject(with: ids[0])
                person.lastName = "here"
                above.firstName = "later"
                #expect(person.firstName == "above")
                try child.refresh(person, mergeChanges: true)
                #expect(person.firstName == "later" && person.lastName == "here")
                child.refresh(person)
                #expect(person.isFault && person.firstName == "later" && person.lastName == nil)
                person.visits = 3
                child.delete(try child.existingObject(with: ids[1]))
                let new = Employee(context: child)
                child.rollback()
                #expect(person.visits == 0 && !child.hasChanges && new.managedObjectContext == nil)
                #expect(try child.count(Employee.self) == 2)
                child.reset()
                #expect(child.registeredObjectCount == 0)
                #expect(try child.existingObject(with: ids[0]).firstName == "later")
                #expect(context.updatedObjects == [above])
            }
        }
    }

    @Test func aChildThatIsDroppedLeavesNothing() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let log = store.container.statementLog
            try await store.container.perform { context in
                let above = try Hierarchy(ids, context)
                above.person.lastName = "pending"
                weak var former: ManagedObjectContext?
                do {
                    let child = context.newChildContext()
                    former = child
                    let here = try Hierarchy(ids, child)
                    here.person.firstName = "y"
                    here.person.lastName = "other"
                    here.department.rooms.objects.forEach(child.delete)
                    here.project.members.remove(here.person)
                    Employee(context: child).department = here.department
                    child.processPendingChanges()
                    log.start()
                }
                #expect(former == nil)
                #expect(above.isComplete && context.updatedObjects == [above.person])
                #expect(above.person.changedValues().keys.sorted() == ["lastName"])
                #expect(above.person.lastName == "pending" && context.insertedObjects.isEmpty)
                try context.save()
                #expect(log.statements.count { $0.sql.contains("UPDATE") } == 1)
            }
        }
    }

    @Test func aFaultThatCannotBeFilledFailsTheRun() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(1)
            try store.execute("DELETE FROM employee")
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    let child = context.newChildContext()
                    let name = child.object(with: ids[0]).firstName
                    #expect(name.isEmpty && child.failure != nil)
                }
            }
            #expect(error?.code == .objectNotFound)
        }
    }

    /// A relationship may lead to what the parent deleted since: the error says so, and which object that is.
    @Test func whatTheParentDeletedIsNamed() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let new = Employee(context: context)
                new.firstName = "new"
                let child = context.newChildContext()
                let department = try #require(try child.existingObject(with: ids.person).department)
                let project = child.object(with: ids.project)
                let other = child.object(with: new.objectID)
                for (object, id) in [
                    (department, ids.department.uriRepresentation), (project, ids.project.uriRepresentation),
                    (other, new.objectID.uriRepresentation),
                ] as [(ManagedObject, URL)] {
                    #expect(object.isFault)
                    let name = object.entityName
                    if object !== other {
                        context.delete(try context.existingObject(with: object.objectID))
                    } else {
                        context.delete(new)
                    }
                    _ = object.value(forKey: ["Department": "name", "Project": "title"][name] ?? "firstName")
                    let error = try #require(child.failure as? FetchError)
                    #expect(error.code == .objectNotFound && error.objectURI == id.absoluteString)
                    #expect(error.message.contains(name) && error.message.contains("parent context"))
                    // The run must not end well, and so its context says it too.
                    for context in [child, context] { context.clearFailure() }
                }
                context.rollback()
            }
        }
    }
}
