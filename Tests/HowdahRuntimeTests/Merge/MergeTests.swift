import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// What becomes of the objects of a context that merges what another one saved.
@Suite(.timeLimit(.minutes(60))) struct MergeTests {
    /// Runs `mine`, has another context save `theirs`, and then `merged`, which is given what it saved.
    nonisolated(nonsending)
        private func merge(
            _ mine: @escaping @Sendable (Hierarchy, ManagedObjectContext) throws -> Void,
            _ theirs: @escaping @Sendable (Hierarchy, ManagedObjectContext) throws -> Void,
            _ merged:
                @escaping @Sendable (Hierarchy.IDs, ManagedObjectContext, SaveNotice, CompanyStore) throws ->
                Void
        ) async throws
    {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                let all = try Hierarchy(ids, context)
                _ = (all.department.rooms.count, all.department.employees.objects)
                try mine(all, context)
                // Whoever holds objects sees them change.
                let kept = [all.department, all.person, all.project] + all.rooms
                let notice = try store.saved { try theirs(Hierarchy(ids, $0), $0) }
                try merged(ids, context, notice, store)
                _ = kept
            }
        }
    }

    @Test func unchangedObjectsAreReadWhenTheyAreTouched() async throws {
        try await merge { _, _ in
        } _: { all, context in
            all.person.visits = 9
            let other = Department(context: context)
            other.name = "other"
            all.person.department = other
        } _: { ids, context, notice, store in
            store.container.statementLog.start()
            try context.mergeChanges(from: notice)
            #expect(store.container.statementLog.count == 0)
            let person = context.object(with: ids.person)
            #expect(person.isFault && person.visits == 9 && person.department?.name == "other")
            #expect(context.object(with: ids.department).employees.isEmpty)
            #expect(person.department?.employees.objects == [person])
        }
    }

    @Test func unsavedChangesStayOnTopAndMeetNoConflict() async throws {
        try await merge { all, _ in
            all.person.visits = 1
            all.department.head = nil
            all.project.members.remove(all.person)
        } _: { all, _ in
            (all.person.visits, all.person.firstName) = (9, "theirs")
            all.department.budget = 5
            all.project.title = "T"
        } _: { ids, context, notice, store in
            store.container.statementLog.start()
            try context.mergeChanges(from: notice)
            #expect(store.container.statementLog.count == 2, "two hierarchies have changed objects")
            let all = try Hierarchy(ids, context)
            #expect(all.person.visits == 1 && all.person.firstName == "theirs")
            #expect(all.person.changedPropertyNames == ["visits"])
            #expect(all.department.head == nil && all.person.heads == nil && all.department.budget == 5)
            #expect(all.project.title == "T" && all.project.members.isEmpty)
            try context.save()
            try #expect(store.fresh { try Graph.describe($0) } == Graph.describe(context))
        }
    }

    @Test func whatIsDeletedLeavesWithItsChanges() async throws {
        try await merge { all, context in
            all.person.visits = 1
            all.rooms[0].number = 77
            let new = Employee(context: context)
            new.firstName = "new"
            new.department = all.department
            all.department.head = new
            all.project.members.insert(new)
        } _: { all, context in
            context.delete(all.department)
            context.delete(all.project)
        } _: { ids, context, notice, store in
            try context.mergeChanges(from: notice)
            #expect(context.registeredObject(for: ids.department) == nil)
            #expect(ids.rooms.allSatisfy { context.registeredObject(for: $0) == nil })
            #expect(context.registeredObject(for: ids.project) == nil)
            let person = try context.existingObject(with: ids.person)
            #expect(person.department == nil && person.heads == nil && person.projects.isEmpty)
            #expect(context.updatedObjects == [person] && context.insertedObjects.count == 1)
            try context.save()
            #expect(try store.storedNames().count == 2)
        }
    }

    @Test func whatIsToBeDeletedHereIsDeletedAsItIsNow() async throws {
        try await merge { all, context in
            context.delete(all.person)
            context.delete(all.rooms[0])
        } _: { all, context in
            all.person.visits = 9
            context.delete(all.rooms[0])
        } _: { ids, context, notice, store in
            try context.mergeChanges(from: notice)
            #expect(context.deletedObjects.map(\.objectID) == [ids.person.typed()])
            try context.save()
            #expect(try store.storedNames().isEmpty)
        }
    }

    /// Members can be loaded while their owner is not.
    @Test func membersOfFaultsAreReadAgain() async throws {
        try await CompanyStore.with { store in
            let ids = try await Hierarchy.make(store)
            try await store.container.perform { context in
                let department = context.object(with: ids.department)
                #expect(department.employees.count == 1 && department.rooms.objects.count == 2)
                #expect(department.isFault)
                let notice = try store.saved { context in
                    let all = try Hierarchy(ids, context)
                    context.delete(all.rooms[0])
                    let new = Employee(context: context)
                    (new.firstName, new.department) = ("new", all.department)
                }
                try context.mergeChanges(from: notice)
                #expect(department.employees.count == 2 && department.rooms.objects.count == 1)
            }
        }
    }

    /// The ids of a batch deletion say nothing of what the database did to other rows.
    @Test func batchDeletionsAreMergedByID() async throws {
        try await merge { all, _ in
            all.rooms[0].number = 77
        } _: { all, _ in
            all.project.title = "other"
        } _: { ids, context, _, store in
            let gone = try store.fresh { context in
                try context.execute(BatchDeleteRequest(Department.self, result: .objectIDs)).objectIDs
            }
            #expect(gone == [ids.department])
            try context.mergeChanges(deleted: gone)
            #expect(context.registeredObject(for: ids.department) == nil && !context.hasChanges)
            #expect(ids.rooms.allSatisfy { context.registeredObject(for: $0) == nil })
            let person = try context.existingObject(with: ids.person)
            #expect(person.department == nil && person.heads == nil)
            person.visits = 1
            try context.save()
            try store.execute("UPDATE employee SET visits = 5, _version = _version + 1")
            try context.mergeChanges(updated: [ids.person])
            #expect(person.visits == 5)
        }
    }

    @Test func aGuardSurvivesAMerge() async throws {
        try await merge { all, context in
            context.detectConflicts(for: all.department)
            all.person.visits = 1
        } _: { all, _ in
            all.department.budget = 1
        } _: { ids, context, notice, _ in
            try context.mergeChanges(from: notice)
            #expect(context.object(with: ids.department).budget == 0)
            let error = #expect(throws: SaveError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    /// Ids of other stores, and of what is not known here, say nothing.
    @Test func strangersAreLeftOut() async throws {
        try await merge { all, _ in
            all.person.visits = 1
        } _: { all, _ in
            all.project.title = "other"
        } _: { ids, context, _, _ in
            let foreign = ObjectID<ManagedObject>(
                storeIdentifier: .init(), entityName: "Employee", key: ids.person.key)
            let unknown = ObjectID<ManagedObject>(
                storeIdentifier: ids.person.storeIdentifier, entityName: "Nothing", key: ids.person.key)
            try context.mergeChanges(from: SaveNotice(inserted: [unknown], deleted: [foreign]))
            #expect(context.registeredObject(for: ids.person)?.visits == 1)
        }
    }

    /// What was deleted and stored again within what is merged is there.
    @Test func whatComesBackStays() async throws {
        try await merge { _, _ in
        } _: { all, _ in
            all.person.visits = 3
        } _: { ids, context, _, _ in
            let id: ObjectID<ManagedObject> = ids.person.typed()
            var merge = RowMerge([SaveNotice(deleted: [id]), SaveNotice(inserted: [id])], in: context)
            try merge.run()
            #expect(context.registeredObject(for: ids.person)?.visits == 3)
        }
    }
}
