import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What each notice of a context holds.
@Suite(.timeLimit(.minutes(60))) struct ContextNoticeTests {
    @Test func changesAreToldByEvent() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let lines = try await store.container.lines { context in
                let department = try context.existingObject(with: ids.department)
                let new = Employee(context: context)
                (new.firstName, new.department) = ("n", department)
                context.processPendingChanges()
                new.visits = 1
                context.processPendingChanges()
                new.visits = 2
                new.visits = 1
                context.processPendingChanges()
                context.delete(new)
                context.processPendingChanges()
                context.delete(Employee(context: context))
                context.processPendingChanges()
                department.name = "the run ends the event"
            }
            #expect(lines == ["didChange +E ~D", "didChange ~E", "didChange -E", "didChange ~D"])
        }
    }

    /// Relationships are told of both ends, with ids that lead to them.
    @Test func relationshipsAreOfBothEnds() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let handle = store.container.newBackgroundContext()
            var notices = handle.notices.makeAsyncIterator()
            let expected: [ObjectID<ManagedObject>] = try await handle.perform { context in
                let person = try context.existingObject(with: ids.person)
                let other = Department(context: context)
                other.name = "other"
                try context.save()
                person.department = other
                context.processPendingChanges()
                return [
                    ids.person.typed(), ids.department.typed(), other.objectID.typed(),
                ]
            }
            let names = await [notices.next(), notices.next(), notices.next()].map { NoticeLines.line($0!) }
            #expect(names == ["didChange +D", "willSave", "didSave +D"])
            let next = await notices.next()
            guard case .didChange(let change) = next else {
                Issue.record("told \(String(describing: next))")
                return
            }
            #expect(Set(change.updatedObjectIDs) == Set(expected))
            let lines = try await store.container.lines { context in
                let all = try Hierarchy(ids, context)
                all.person.projects.remove(all.project)
                context.processPendingChanges()
                all.department.head = nil
                try context.save()
                all.person.heads = all.department
                try context.save()
            }
            #expect(
                lines == [
                    "didChange ~EP", "didChange ~DE", "willSave", "didSave ~DEP", "didChange ~DE", "willSave",
                    "didSave ~DE",
                ])
        }
    }

    /// A cascade that loads nothing is in the save's notice; with rules in memory it is in the change's, too.
    @Test func deleteRulesAreToldWhereTheyAreApplied() async throws {
        try await CompanyStore.with { store in
            let (first, second) = (
                try await Hierarchy.make(store, number: 10), try await Hierarchy.make(store, number: 20)
            )
            let lines = try await store.container.lines { context in
                context.delete(context.object(with: first.department))
                try context.save()
                context.propagatesDeletesAtEndOfEvent = true
                context.delete(context.object(with: second.department))
                try context.save()
            }
            #expect(
                lines == [
                    "didChange -D", "willSave", "didSave ~E -DRR", "didChange ~E -DRR", "willSave",
                    "didSave ~E -DRR",
                ])
        }
    }

    @Test func whatReplacesChangesIsToldAsRefreshed() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let lines = try await store.container.lines { context in
                let all = try Hierarchy(ids, context)
                all.person.visits = 1
                context.refresh(all.person)
                context.processPendingChanges()
                all.person.visits = 2
                try context.refresh(all.person, mergeChanges: true)
                context.processPendingChanges()
                // Told, and then taken back.
                let project = Project(context: context)
                all.person.department = nil
                context.delete(all.rooms[0])
                context.processPendingChanges()
                context.delete(all.rooms[1])
                project.title = "not told"
                _ = Project(context: context)
                context.rollback()
                context.reset()
            }
            #expect(
                lines == [
                    "didChange *E", "didChange *E", "didChange +P ~DE -R", "didChange +R -P *DER", "didReset",
                ])
        }
    }

    /// One recorder serves both: the stack's groups are whole, and who listens is told each of its steps.
    @Test func undoAndListenersSeeEverything() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let lines = try await store.container.lines { context in
                let all = try Hierarchy(ids, context)
                all.person.visits = 1
                let stack = UndoStack()
                context.undoManager = stack
                #expect(!stack.canUndo)
                all.person.visits = 2
                all.department.name = "x"
                context.delete(all.rooms[0])
                context.processPendingChanges()
                context.refresh(all.project)
                context.processPendingChanges()
                stack.disableUndoRegistration()
                all.project.title = "kept"
                stack.enableUndoRegistration()
                context.undo()
                #expect(all.person.visits == 1 && !all.rooms[0].isDeleted && stack.canRedo)
                context.redo()
                #expect(all.person.visits == 2 && all.department.name == "x" && all.rooms[0].isDeleted)
                context.undoManager = nil
                all.person.visits = 3
                try context.save()
            }
            #expect(
                lines == [
                    "didChange ~E", "didChange ~DE -R", "didChange *P", "didChange ~P", "didChange +R ~DE",
                    "didChange ~DE -R", "didChange ~E", "willSave", "didSave ~DEP -R",
                ])
        }
    }

    @Test func whatHooksOfASaveChangeIsTold() async throws {
        try await withTestStore(Diary.model()) { container in
            let lines = try await container.lines { context in
                let book = Diary(context: context)
                book.onWillSave = { $0.title = "set by the hook" }
                try context.save()
            }
            #expect(lines == ["didChange +D", "willSave", "didChange ~D", "didSave +D"])
        }
    }

    /// Listening sends nothing, and ends with the listener.
    @Test func listeningCostsNoStatements() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let person = try context.existingObject(with: ids.person)
                let project = try context.existingObject(with: ids.project)
                #expect(context.event == nil && !person._flags.contains(.watched))
                var notices: Notices<ContextNotice>? = context.notices
                #expect(notices != nil && person._flags.contains(.watched))
                store.container.statementLog.start()
                person.projects.insert(project)
                person.department = nil
                context.delete(project)
                context.processPendingChanges()
                #expect(store.container.statementLog.count == 0)
                notices = nil
                context.processPendingChanges()
                #expect(context.event == nil && !person._flags.contains(.watched))
                #expect(!Employee(context: context)._flags.contains(.watched))
                context.rollback()
            }
        }
    }
}
