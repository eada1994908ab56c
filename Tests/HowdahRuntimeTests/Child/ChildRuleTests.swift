import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// The rules that a child's save checks, and whom the hooks tell.
@Suite struct ChildRuleTests {
    private static func crates() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Crate",
                properties: [
                    .relationship("things", to: "Thing", inverse: "crate", toMany: true, deleteRule: .deny),
                    .relationship(
                        "seals", to: "Thing", inverse: "sealed", toMany: true, minCount: 1, maxCount: 2),
                ]),
            EntityDescription(
                "Thing",
                properties: [
                    .relationship("crate", to: "Crate", inverse: "things"),
                    .relationship("sealed", to: "Crate", inverse: "seals", toMany: true),
                ]),
        ])
    }

    @Test func denialsAndCountsAreTold() async throws {
        try await withTestStore(Self.crates()) { container in
            try await container.perform { context in
                let crate = context.insert("Crate")
                let things = (0..<3).map { _ in context.insert("Thing") }
                things[0]["crate"] = crate
                crate.members(forKey: "seals").insert(things[1])
                try context.save()
                let child = context.newChildContext()
                let here = try child.existingObject(with: crate.objectID)
                let others = try things.map { try child.existingObject(with: $0.objectID) }
                child.delete(here)
                let denied = #expect(throws: SaveError.self) { try child.save() }
                #expect(denied?.code == .referentialIntegrity)
                #expect(denied?.issues.map(\.propertyName) == ["things"] && denied?.issues[0].code == 1600)
                #expect(!context.hasChanges)
                // What goes with it does not deny it.
                child.delete(others[0])
                try child.save()
                #expect(context.deletedObjects.count == 2)
                context.rollback()
                child.reset()
                let again = try child.existingObject(with: crate.objectID)
                let seals = again.members(forKey: "seals")
                seals.remove(try child.existingObject(with: things[1].objectID))
                let few = #expect(throws: SaveError.self) { try child.save() }
                #expect(few?.issues.map(\.code) == [1580] && !context.hasChanges)
                for thing in things { seals.insert(try child.existingObject(with: thing.objectID)) }
                let many = #expect(throws: SaveError.self) { try child.save() }
                #expect(many?.issues.map(\.code) == [1590])
                seals.remove(try child.existingObject(with: things[0].objectID))
                try child.save()
                #expect(crate.members(forKey: "seals").count == 2)
                try context.save()
                context.reset()
                #expect(try context.existingObject(with: crate.objectID).members(forKey: "seals").count == 2)
            }
        }
    }

    @Test func validationHooksAreAskedInTheChild() async throws {
        try await withTestStore(Meeting.model()) { container in
            try await container.perform { context in
                let child = context.newChildContext()
                let meeting = Meeting(context: child)
                (meeting.title, meeting.begin, meeting.end) = ("lunch", 5, 3)
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == .validation && error?.issues.count == 2)
                #expect(!context.hasChanges)
                (meeting.title, meeting.end) = ("Planning", 101)
                let bound = #expect(throws: SaveError.self) { try child.save() }
                #expect(bound?.issues.map(\.propertyName) == ["end"])
                meeting.end = 6
                meeting.isPublished = true
                try child.save()
                child.delete(meeting)
                #expect(throws: Meeting.NotNow.self) { try child.save() }
                #expect(context.insertedObjects.count == 1)
            }
        }
    }

    @Test func hooksTellTheObjectsOfTheContextThatSaves() async throws {
        try await withTestStore(Diary.model()) { container in
            try await container.perform { context in
                let child = context.newChildContext()
                let diary = Diary(context: child)
                diary.title = "t"
                #expect(diary.takeCalls() == ["awakeFromInsert"])
                try child.save()
                #expect(diary.takeCalls() == ["willSave", "didSave false"])
                let above = try #require(context.insertedObjects.first as? Diary)
                #expect(above.takeCalls().isEmpty && above.title == "t")
                try context.save()
                #expect(above.takeCalls() == ["willSave", "didSave false"] && diary.takeCalls().isEmpty)
                child.refresh(diary)
                _ = diary.title
                #expect(diary.takeCalls().last == "awakeFromFetch t")
                child.delete(diary)
                try child.save()
                #expect(diary.takeCalls() == ["prepareForDeletion 0", "willSave", "didSave false"])
                #expect(above.takeCalls().isEmpty && above.isDeleted)
                try context.save()
                #expect(above.takeCalls() == ["willSave", "didSave false"])
            }
        }
    }

    @Test func aPolicyOfOnesOwnDecides() async throws {
        final class Sum: MergePolicy {
            var asked = 0
            override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
                asked += conflicts.count
                let sums = conflicts.map { conflict -> Int in
                    let states = [
                        conflict.objectSnapshot, conflict.persistedSnapshot ?? [:], conflict.cachedSnapshot,
                    ]
                    let visits = states.map { Int(($0["visits"] as? Int64) ?? 0) }
                    return visits[0] + visits[1] - visits[2]
                }
                try super.resolve(optimisticLockingConflicts: conflicts)
                for (conflict, sum) in zip(conflicts, sums) { (conflict.object as? Employee)?.visits = sum }
            }
        }
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let policy = Sum(merge: .mergeByPropertyObjectTrump)
                let above = try context.existingObject(with: id)
                above.visits = 10
                let child = context.newChildContext()
                child.mergePolicy = policy
                let person = try child.existingObject(with: id)
                person.visits += 5
                above.visits += 1
                try child.save()
                #expect(policy.asked == 1 && above.visits == 16 && person.visits == 16)
            }
        }
    }
}
