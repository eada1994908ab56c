import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Groups, names and limits, and what an undo does to objects that are not saved meanwhile.
@Suite struct UndoTests {
    @Test func valuesGoBackAndForthWithoutStatements() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                let stack = UndoStack()
                context.undoManager = stack
                #expect(!stack.canUndo && !stack.canRedo)
                person.firstName = "A"
                person.location = Location(latitude: 1, longitude: 2)
                stack.setActionName("Move")
                #expect(stack.canUndo && stack.undoActionName == "Move")
                context.processPendingChanges()
                person.firstName = "B"
                store.container.statementLog.start()
                context.undo()
                #expect(person.firstName == "A" && stack.canRedo && stack.redoActionName == "")
                context.undo()
                #expect(person.firstName == "E0" && person.location == nil && !stack.canUndo)
                #expect(stack.redoActionName == "Move" && !context.hasChanges)
                context.redo()
                #expect(person.firstName == "A" && person.location?.latitude == 1)
                #expect(stack.undoActionName == "Move")
                context.redo()
                #expect(person.firstName == "B" && !stack.canRedo)
                context.undo()
                #expect(store.container.statementLog.count == 0)
                person.visits = 3
                #expect(!stack.canRedo)
                context.processPendingChanges()
                context.redo()
                #expect(person.firstName == "A" && person.visits == 3)
                try context.save()
            }
            try #expect(store.storedNames() == ["A"])
        }
    }

    @Test func whatIsAsItWasMakesNoGroup() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                context.undoManager = UndoStack()
                person.visits = 1
                context.processPendingChanges()
                context.undo()
                person.firstName = "E0"
                context.processPendingChanges()
                #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == true)
            }
        }
    }

    /// A refresh takes the changes of its event along, and those of earlier events are undone as they were.
    @Test func aRefreshLeavesNoGroupOfWhatItDropped() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                let stack = UndoStack()
                context.undoManager = stack
                for visits in [0, 7] {
                    person.visits = visits
                    context.refresh(person)
                    context.processPendingChanges()
                    #expect(!stack.canUndo)
                }
                person.visits = 7
                context.processPendingChanges()
                context.refresh(person)
                context.processPendingChanges()
                #expect(stack.undoCount == 2 && person.visits == 0)
                context.undo()
                #expect(person.visits == 7)
                context.undo()
                #expect(person.visits == 0 && !context.hasChanges)
            }
        }
    }

    @Test func groupsAreUndoneAsOne() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                let person = try context.existingObject(with: id)
                context.undoManager = UndoStack(levelsOfUndo: 3)
                person.visits = 1
                context.undoManager?.beginUndoGrouping()
                person.visits = 2
                context.processPendingChanges()
                context.undoManager?.beginUndoGrouping()
                person.visits = 3
                context.undoManager?.endUndoGrouping()
                #expect(context.undoManager?.groupingLevel == 1)
                try context.save()
            }
            // A group may last over saves and runs; without one each run is a group.
            try await handle.perform { context in
                let person = try context.existingObject(with: id)
                person.visits = 4
                context.undoManager?.endUndoGrouping()
            }
            try await handle.perform { try $0.existingObject(with: id).visits = 5 }
            try await handle.perform { context in
                let person = try context.existingObject(with: id)
                context.undo()
                #expect(person.visits == 4)
                context.undo()
                #expect(person.visits == 1)
                context.undo()
                #expect(person.visits == 0)
                for _ in 0..<3 { context.redo() }
                #expect(person.visits == 5)
                context.undoManager?.levelsOfUndo = 1
                context.undo()
                context.undo()
                #expect(person.visits == 4, "the older groups are forgotten")
            }
        }
    }

    @Test func changesCanBeKeptOut() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                let stack = UndoStack()
                context.undoManager = stack
                person.visits = 1
                stack.disableUndoRegistration()
                person.firstName = "kept"
                #expect(!stack.isUndoRegistrationEnabled)
                stack.enableUndoRegistration()
                person.visits = 2
                context.undo()
                context.undo()
                #expect(person.visits == 0 && person.firstName == "kept" && !stack.canUndo)
                person.visits = 3
                stack.removeAllActions()
                #expect(!stack.canUndo && !stack.canRedo && person.visits == 3)
                person.visits = 4
                context.rollback()
                #expect(!stack.canUndo && person.visits == 0)
                person.visits = 4
                context.reset()
                #expect(!stack.canUndo)
            }
        }
    }

    /// Without a stack nothing is kept, and objects are as before once it is taken away.
    @Test func withoutAStackNothingIsKept() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                #expect(context.event == nil && !person._flags.contains(.watched))
                person.visits = 1
                context.undo()
                #expect(person.visits == 1)
                let stack = UndoStack()
                context.undoManager = stack
                let new = Employee(context: context)
                #expect(person._flags.contains(.watched) && new._flags.contains(.watched))
                context.undoManager = nil
                #expect(!person._flags.contains(.watched) && !new._flags.contains(.watched))
                #expect(context.event == nil && !stack.canUndo)
            }
        }
    }

    /// A cascade with required to-ones, nullified members, a one-to-one and links: all of it comes back, and goes again.
    @Test func whatDeleteRulesDidComesBack() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                context.undoManager = UndoStack()
                let all = try Hierarchy(ids, context)
                context.delete(all.department)
                context.processPendingChanges()
                #expect(all.rooms.allSatisfy(\.isDeleted) && all.person.department == nil)
                #expect(all.person.heads == nil)
                context.delete(all.person)
                context.processPendingChanges()
                #expect(all.project.members.isEmpty)
                let count = store.container.statementLog.count
                context.undo()
                #expect(all.project.members.objects == [all.person] && all.person.department == nil)
                context.undo()
                #expect(all.isComplete)
                #expect(context.deletedObjects.isEmpty && store.container.statementLog.count == count)
                context.redo()
                #expect(all.rooms.allSatisfy(\.isDeleted) && all.person.heads == nil)
                context.redo()
                #expect(all.person.isDeleted && all.project.members.isEmpty)
                context.undo()
                context.undo()
                #expect(all.isComplete)
                try context.save()
            }
            try await store.container.perform { try #expect(Hierarchy(ids, $0).isComplete) }
        }
    }

    @Test func hooksAreTold() async throws {
        try await withTestStore(Diary.model()) { container in
            try await container.perform { context in
                context.undoManager = UndoStack()
                let book = Diary(context: context)
                context.processPendingChanges()
                book.title = "x"
                _ = book.takeCalls()
                context.undo()
                #expect(book.takeCalls() == ["awakeFromSnapshotEvents 8"] && book.title == "untitled")
                context.undo()
                #expect(book.isDeleted && book.takeCalls() == [])
                context.redo()
                #expect(book.isInserted && book.title == "untitled")
                #expect(book.takeCalls() == ["awakeFromSnapshotEvents 4"])
            }
        }
    }

    /// What `willSave` changes is no step of its own, and does not cut off what may be redone.
    @Test func savesAddNoSteps() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                context.undoManager = UndoStack()
                person.visits = 1
                context.processPendingChanges()
                person.visits = 2
                context.undo()
                try context.save()
                #expect(context.undoManager?.canRedo == true)
                context.redo()
                #expect(person.visits == 2)
                context.undo()
                context.undo()
                #expect(person.visits == 0)
                try context.save()
            }
        }
    }

    /// Dropping changes is a change like others.
    @Test func aRefreshIsUndone() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                context.undoManager = UndoStack()
                person.visits = 1
                context.processPendingChanges()
                context.refresh(person)
                #expect(person.isFault)
                context.undo()
                #expect(person.visits == 1 && person.isUpdated)
                context.undo()
                #expect(person.visits == 0)
                context.redo()
                context.redo()
                #expect(person.visits == 0)
            }
        }
    }
}
