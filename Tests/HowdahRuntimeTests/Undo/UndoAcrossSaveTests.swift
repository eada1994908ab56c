import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Undo and redo of what was saved meanwhile.
@Suite struct UndoAcrossSaveTests {
    /// The same objects come back under the same ids, with everything that the rules took away, as often as asked.
    @Test func aSavedDeletionComesBack() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let all = try Hierarchy(ids, context)
                let version = all.department.version
                context.delete(all.department)
                context.delete(all.person)
                try context.save()
                #expect(all.department.managedObjectContext == nil)
                store.container.statementLog.start()
                context.undo()
                #expect(store.container.statementLog.count == 0)
                #expect(
                    all.isComplete && all.department.isInserted && all.department.objectID == ids.department)
                try context.save()
                #expect(all.isComplete && all.department.version > version)
            }
            try await store.container.perform { try #expect(Hierarchy(ids, $0).isComplete) }
            // And back and forth, with and without a save between.
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let all = try Hierarchy(ids, context)
                context.delete(all.department)
                try context.save()
                context.undo()
                context.redo()
                try context.save()
                try #expect(context.count(Department.self) == 0)
                context.undo()
                try context.save()
                context.redo()
                try context.save()
                try #expect(context.count(Department.self) == 0)
                context.undo()
                try context.save()
                #expect(all.isComplete)
            }
            try await store.container.perform { try #expect(Hierarchy(ids, $0).isComplete) }
        }
    }

    @Test func aSavedInsertionGoesAndReturns() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let person = Employee(context: context)
                person.firstName = "new"
                let department = Department(context: context)
                department.name = "D"
                department.employees.insert(person)
                try context.save()
                let id = person.objectID
                context.undo()
                #expect(person.isDeleted && context.deletedObjects.count == 2)
                try context.save()
                try #expect(context.count(Employee.self) == 0)
                context.redo()
                #expect(person.isInserted && person.objectID == id && person.firstName == "new")
                #expect(person.department === department && department.name == "D")
                try context.save()
                try #expect(store.storedNames() == ["new"])
                #expect(department.employees.objects == [person])
            }
        }
    }

    /// What was never saved comes back under the id it will have, also after a save without it.
    @Test func anInsertionThatWasNeverSavedReturns() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let person = Employee(context: context)
                person.firstName = "new"
                context.undo()
                #expect(person.isDeleted && context.insertedObjects.isEmpty)
                try context.save()
                context.redo()
                #expect(person.isInserted && person.firstName == "new")
                try context.save()
                try #expect(store.storedNames() == ["new"] && person.version == 1)
            }
        }
    }

    @Test func aRowThatChangedMeanwhileIsAConflict() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let person = try context.existingObject(with: id)
                person.firstName = "mine"
                try context.save()
                let other = Employee(context: context)
                other.firstName = "other"
                try context.save()
                try store.execute("UPDATE employee SET visits = 9, _version = _version + 1")
                for _ in 0..<2 {
                    context.undo()
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    #expect(error?.code == .conflict)
                    // Nothing is lost: what was undone is pending, and can be done again.
                    #expect(context.hasChanges && context.undoManager?.canRedo == true)
                    try #expect(store.storedNames() == ["mine", "other"])
                }
                #expect(person.firstName == "E0" && other.isDeleted)
                context.redo()
                context.redo()
                #expect(person.firstName == "mine" && !other.isDeleted)
                context.rollback()
            }
        }
    }

    @Test func aRowThatIsGoneIsAConflict() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let person = try context.existingObject(with: id)
                person.firstName = "mine"
                try context.save()
                try store.execute("DELETE FROM employee")
                context.undo()
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict && error?.conflicts.first?.isDeleted == true)
                // Where the context is right, the row is stored again.
                context.mergePolicy = .mergeByPropertyObjectTrump
                try context.save()
                try #expect(store.storedNames() == ["E0"])
            }
        }
    }

    /// The id or a unique value that is in use again: the save says so, and everything stays as it is.
    @Test(arguments: [false, true])
    func aPlaceThatWasTakenIsAnError(byID: Bool) async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let all = try Hierarchy(ids, context)
                context.delete(all.department)
                try context.save()
                let key = byID ? ids.department.key : 1_000_000
                try store.execute(
                    "INSERT INTO department (_id, name, budget) VALUES (\(key), '\(byID ? "other" : "D")', 0)"
                )
                context.undo()
                let error = #expect(throws: SaveError.self) { try context.save() }
                // A row under the id is another context's, which a policy can merge with.
                #expect(error?.code == (byID ? .conflict : .uniqueness))
                #expect(all.isComplete && all.department.isInserted && context.undoManager?.canRedo == true)
                try store.execute("DELETE FROM department")
                try context.save()
            }
            try await store.container.perform { try #expect(Hierarchy(ids, $0).isComplete) }
        }
    }

    /// A transaction that is rolled back leaves a graph that no group describes.
    @Test func aRolledBackTransactionForgetsTheSteps() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                context.undoManager = UndoStack()
                try context.existingObject(with: id).visits = 1
            }
            await #expect(throws: CancellationError.self) {
                try await handle.perform(isolation: .readCommitted) { context in
                    try context.save()
                    throw CancellationError()
                }
            }
            try await handle.perform { context in
                #expect(context.undoManager?.canUndo == false)
                try #expect(context.existingObject(with: id).visits == 1)
            }
        }
    }

    /// Keys without an inverse are cleared in rows that nobody loaded; they are loaded, and come back.
    @Test func oneWayReferencesComeBack() async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let plants = (1...3).map { number in
                    let plant = context.insert("Plant")
                    plant["number"] = number
                    return plant
                }
                plants[1]["favourite"] = plants[0]
                plants[2].members(forKey: "likes").insert(plants[0])
                let bed = context.insert("Bed")
                bed["number"] = 9
                for plant in plants.reversed() { bed.orderedMembers(forKey: "picks").append(plant) }
                try context.save()
            }
            let before = try Garden.stored(container)
            try await container.perform { context in
                context.undoManager = UndoStack()
                let first = try context.fetch("Plant", matching: PredicateTree(format: "number == 1"))[0]
                context.delete(first)
                try context.save()
                let without = try Garden.stored(container)
                #expect(without.count == 3 && !without.contains { $0.contains("favourite 1") })
                context.undo()
                try context.save()
                try #expect(Garden.stored(container) == before)
                context.redo()
                try context.save()
                try #expect(Garden.stored(container) == without)
            }
        }
    }
}
