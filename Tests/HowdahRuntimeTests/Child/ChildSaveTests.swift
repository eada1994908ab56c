import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A child's save makes its changes unsaved changes of its parent, and nothing else.
@Suite struct ChildSaveTests {
    @Test func aPushSendsNothingAndTheParentSavesIt() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(3)
            let log = store.container.statementLog
            try await store.container.perform { context in
                let above = try ids.map { try context.existingObject(with: $0) }
                let child = context.newChildContext()
                let here = try ids.map { try child.existingObject(with: $0) }
                here[0].firstName = "changed"
                here[0].location = Location(latitude: 1, longitude: 2)
                child.delete(here[1])
                let department = Department(context: child)
                department.name = "D"
                department.head = here[2]
                here[2].department = department
                child.processPendingChanges()
                log.start()
                try child.save()
                #expect(log.statements.isEmpty)
                #expect(!child.hasChanges && context.hasChanges && !department.isInserted)
                #expect(context.insertedObjects.count == 1)
                #expect(Set(context.updatedObjects) == [above[0], above[2]])
                #expect(context.deletedObjects == [above[1]])
                #expect(above[0].changedValues().keys.sorted() == ["firstName", "location"])
                let twin = try #require(above[2].department)
                #expect(twin.head === above[2] && twin.name == "D" && twin.budget == 0)
                #expect(twin.objectID == department.objectID && department.objectID.isTemporaryID)
                // Saving again has nothing to do.
                try child.save()
                try context.save()
                #expect(!department.objectID.isTemporaryID && twin.objectID == department.objectID)
                #expect(child.registeredObject(for: twin.objectID) === department)
                department.budget = 5
                try child.save()
                try context.save()
            }
            try #expect(store.storedNames() == ["E2", "changed"])
            try await store.container.perform { context in
                let department = try #require(context.fetch(Department.self).first)
                #expect(department.budget == 5 && department.head?.department === department)
            }
        }
    }

    @Test func rowsThatTheParentLetGoAreLoadedTogether() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(20)
            let log = store.container.statementLog
            try await store.container.perform { context in
                let child = context.newChildContext()
                for person in try child.fetch(Employee.self) { person.visits = 1 }
                log.start()
                try child.save()
                #expect(log.count == 1 && context.updatedObjects.count == 20)
                try context.save()
            }
        }
    }

    @Test func twoLevelsPushOneAtATime() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let child = context.newChildContext()
                let grandchild = child.newChildContext()
                try child.existingObject(with: id).firstName = "middle"
                let person = try grandchild.existingObject(with: id)
                #expect(person.firstName == "middle")
                person.lastName = "low"
                let new = Employee(context: grandchild)
                new.firstName = "new"
                try grandchild.save()
                #expect(child.insertedObjects.count == 1 && !context.hasChanges)
                #expect(try context.count(Employee.self) == 1 && child.count(Employee.self) == 2)
                try child.save()
                #expect(context.insertedObjects.count == 1 && context.updatedObjects.count == 1)
                let sibling = context.newChildContext().newChildContext()
                #expect(try sibling.existingObject(with: new.objectID).firstName == "new")
                try context.save()
                #expect(!new.objectID.isTemporaryID && !grandchild.hasChanges)
                new.firstName = "newer"
                try grandchild.save()
                try child.save()
                try context.save()
            }
            try #expect(store.storedNames() == ["middle", "newer"])
        }
    }

    @Test func idsMayBeObtainedBefore() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let above = Employee(context: context)
                above.firstName = "above"
                let child = context.newChildContext()
                let twin = try child.existingObject(with: above.objectID)
                let new = Employee(context: child)
                new.firstName = "new"
                try child.obtainPermanentIDs(for: [twin, new])
                #expect(!twin.objectID.isTemporaryID && twin.objectID == above.objectID)
                #expect(!new.objectID.isTemporaryID && new.isInserted && above.isInserted)
                let id = new.objectID
                try child.save()
                try context.save()
                #expect(new.objectID == id && !new.hasChanges)
                #expect(try context.existingObject(with: id).firstName == "new")
            }
            try #expect(store.storedNames() == ["above", "new"])
        }
    }

    @Test func rulesAreCheckedBeforeTheParentIsTouched() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let child = context.newChildContext()
                let here = try Hierarchy(ids, child)
                here.rooms[0].department = nil
                Employee(context: child).lastName = "nameless"
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == .validation)
                #expect(
                    Set(error?.issues.compactMap(\.propertyName) ?? []) == ["department", "firstName"])
                #expect(error?.issues.allSatisfy { $0.code == 1570 } == true)
                #expect(!context.hasChanges && child.insertedObjects.count == 1)
                child.rollback()
                #expect(here.isComplete)
            }
        }
    }

    @Test func deletionsFollowTheirRulesInTheChild() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let above = try Hierarchy(ids, context)
                let child = context.newChildContext()
                child.delete(try child.existingObject(with: ids.department))
                #expect(try child.count(Room.self) == 0 && context.count(Room.self) == 2)
                #expect(try child.existingObject(with: ids.person).department == nil)
                try child.save()
                #expect(Set(context.deletedObjects) == Set([above.department] + above.rooms))
                #expect(above.person.department == nil && above.person.heads == nil)
                try context.save()
                #expect(try context.count(Room.self) == 0 && context.count(Employee.self) == 1)
            }
        }
    }

    @Test func whatTheParentMadeTheChildMayDelete() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let above = Employee(context: context)
                above.firstName = "above"
                let child = context.newChildContext()
                child.delete(try child.existingObject(with: above.objectID))
                try child.save()
                #expect(context.insertedObjects.isEmpty && !context.hasChanges)
                try context.save()
                #expect(try context.count(Employee.self) == 0)
            }
        }
    }

    @Test func thePushIsOneUndoOfTheParent() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let above = try Hierarchy(ids, context)
                #expect(above.isComplete)
                let stack = UndoStack()
                context.undoManager = stack
                above.person.lastName = "before"
                let child = context.newChildContext()
                let here = try Hierarchy(ids, child)
                here.person.firstName = "y"
                here.project.members.remove(here.person)
                child.delete(here.rooms[0])
                let new = Employee(context: child)
                (new.firstName, new.department) = ("new", here.department)
                try child.save()
                #expect(stack.undoCount == 2 && !above.isComplete)
                #expect(above.department.employees.count == 2 && context.insertedObjects.count == 1)
                context.undo()
                #expect(above.isComplete && above.person.firstName == "x" && !context.hasObjectsToInsert)
                #expect(above.person.lastName == "before")
                context.redo()
                #expect(above.person.firstName == "y" && above.project.members.count == 0)
                context.undo()
                context.undo()
                #expect(above.isComplete && above.person.lastName == nil)
                #expect(!context.hasObjectsToInsert)
                let changed = context.updatedObjects.filter(\.hasPersistentChangedValues)
                #expect(changed.isEmpty)
                #expect(context.deletedObjects.isEmpty)
                context.redo()
                context.redo()
                try context.save()
            }
            try #expect(store.storedNames() == ["new", "y"])
        }
    }

    @Test func theChildsOwnUndoGoesOnAcrossThePush() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try await store.container.perform { context in
                let child = context.newChildContext()
                child.undoManager = UndoStack()
                let here = try ids.map { try child.existingObject(with: $0) }
                here[0].firstName = "changed"
                child.delete(here[1])
                try child.save()
                #expect(try context.count(Employee.self) == 1)
                child.undo()
                #expect(here[0].firstName == "E0" && child.insertedObjects == [here[1]])
                try child.save()
                #expect(try context.count(Employee.self) == 2)
                try context.save()
            }
            try #expect(store.storedNames() == ["E0", "E1"])
        }
    }

    @Test func transientValuesGoUpAndDown() async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let above = (1...3).map { number in
                    let plant = context.insert("Plant")
                    plant["number"] = number
                    return plant
                }
                above[0]["mood"] = "good"
                above[0]["dream"] = above[1]
                try context.save()
                let child = context.newChildContext()
                let here = try above.map { try child.existingObject(with: $0.objectID) }
                #expect(here[0]["mood"] as? String == "good" && here[0]["dream"] as? ManagedObject == here[1])
                #expect(here[1].members(forKey: "dreamers").objects == [here[0]])
                here[0]["mood"] = "better"
                here[2]["dream"] = here[1]
                #expect(above[0]["mood"] as? String == "good")
                try child.save()
                #expect(above[0]["mood"] as? String == "better" && !child.hasChanges)
                #expect(above[2]["dream"] as? ManagedObject == above[1])
                #expect(above[1].members(forKey: "dreamers").count == 2)
            }
        }
    }

    @Test func listsAreAppendedToWithoutBeingRead() async throws {
        try await withTestStore(Garden.model()) { container in
            let id = try await container.perform { context in
                let bed = context.insert("Bed")
                bed["number"] = 1
                for number in 2...4 {
                    let plant = context.insert("Plant")
                    plant["number"] = number
                    bed.orderedMembers(forKey: "plants").append(plant)
                }
                try context.save()
                return bed.objectID as ObjectID<ManagedObject>
            }
            let numbers = try await container.perform { context in
                let child = context.newChildContext()
                let bed = try child.existingObject(with: id)
                for number in [9, 7, 8] {
                    let plant = child.insert("Plant")
                    plant["number"] = number
                    bed.orderedMembers(forKey: "plants").append(plant)
                }
                container.statementLog.start()
                try child.save()
                // The bed's row, which the parent had let go.
                #expect(container.statementLog.count == 1)
                try context.save()
                context.reset()
                return try context.existingObject(with: id).orderedMembers(forKey: "plants")
                    .compactMap { $0["number"] as? Int64 }
            }
            #expect(numbers == [2, 3, 4, 9, 7, 8])
        }
    }
}

extension ManagedObjectContext {
    fileprivate var hasObjectsToInsert: Bool { !insertedObjects.isEmpty }
}
