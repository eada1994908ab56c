import Foundation
import Howdah
import HowdahTesting
import Testing

/// New objects with unique values that the store has already, by policy.
@Suite struct UniquenessPolicyTests {
    nonisolated(nonsending)
        private func existing(_ store: CompanyStore, budget: Decimal = 7) async throws -> ObjectID<Department>
    {
        try await store.container.perform { context in
            let department = Department(context: context)
            (department.name, department.budget) = ("Research", budget)
            let person = Employee(context: context)
            person.firstName = "Ada"
            person.department = department
            try context.save()
            return department.objectID
        }
    }

    /// The row's id survives, members and references of the new object join those of the row.
    @Test(arguments: MergePolicyTests.types, [false, true])
    func aNewObjectBecomesTheRow(type: MergePolicy.MergeType, isRegistered: Bool) async throws {
        try await CompanyStore.with { store in
            let id = try await existing(store)
            try await store.container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let known = isRegistered ? try context.existingObject(with: id) : nil
                let new = Department(context: context)
                (new.name, new.budget) = ("Research", 9)
                let bob = Employee(context: context)
                bob.firstName = "Bob"
                new.employees.insert(bob)
                new.head = bob
                store.container.statementLog.start()
                try context.save()
                #expect(store.container.statementLog.count < 12)
                #expect(new.objectID == id && !context.hasChanges)
                let department = try context.existingObject(with: id)
                #expect(department === (known ?? new))
                let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
                for _ in 0..<2 {
                    #expect(department.budget == (isOurs ? 9 : 7))
                    #expect(Set(department.employees.map(\.firstName)) == ["Ada", "Bob"])
                    #expect(bob.department === department)
                    let keepsHead = type != .rollback
                    #expect((department.head === bob) == keepsHead)
                    context.refresh(department)
                    context.refresh(bob)
                }
                department.budget = 10
                try context.save()
                try #expect(context.count(Department.self) == 1)
            }
        }
    }

    @Test func theErrorPolicyFails() async throws {
        try await CompanyStore.with { store in
            _ = try await existing(store)
            try await store.container.perform { context in
                Department(context: context).name = "Research"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .uniqueness && context.insertedObjects.count == 1)
            }
        }
    }

    @Test func anIDGivenOutBeforeIsReportedAsSuperseded() async throws {
        try await CompanyStore.with { store in
            let id = try await existing(store)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let new = Department(context: context)
                new.name = "Research"
                try context.obtainPermanentIDs(for: [new])
                let given = new.objectID
                #expect(given != id)
                try context.save()
                #expect(context.supersededObjectIDs == [given.typed(): id.typed()])
                #expect(new.objectID == id)
                new.budget = 1
                try context.save()
                #expect(context.supersededObjectIDs.isEmpty)
            }
        }
    }

    /// A stored object given another's value gets its own back, or the save fails; rows never become one.
    @Test(arguments: MergePolicyTests.types) func twoRowsNeverBecomeOne(type: MergePolicy.MergeType)
        async throws
    {
        try await CompanyStore.with { store in
            _ = try await existing(store)
            try await store.container.perform { context in
                let other = Department(context: context)
                other.name = "Sales"
                try context.save()
                context.mergePolicy = MergePolicy(merge: type)
                (other.name, other.budget) = ("Research", 3)
                if type == .mergeByPropertyStoreTrump || type == .rollback {
                    try context.save()
                    #expect(other.name == "Sales" && other.budget == 3)
                } else {
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    #expect(error?.code == .uniqueness)
                    #expect(error?.issues.first?.propertyName == "name")
                    #expect(other.name == "Research")
                }
            }
        }
    }

    /// What the save itself moves out of the way is in nobody's way.
    @Test func aRowThatGoesOrChangesIsNoConflict() async throws {
        try await CompanyStore.with { store in
            let id = try await existing(store)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyStoreTrump
                let old = try context.existingObject(with: id)
                old.name = "Old"
                let new = Department(context: context)
                (new.name, new.budget) = ("Research", 1)
                try context.save()
                #expect(new.objectID != id && new.budget == 1 && old.name == "Old")
                context.delete(old)
                let third = Department(context: context)
                third.name = "Old"
                try context.save()
                #expect(third.objectID != id)
                try #expect(context.count(Department.self) == 2)
            }
        }
    }

    /// Contexts that insert the same new names at the same time all succeed, and there is one row for each name.
    @Test func racingInsertsEndInOneRow() async throws {
        try await CompanyStore.with(connections: 6) { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for round in 0..<10 {
                            try await store.container.perform { context in
                                context.mergePolicy = .mergeByPropertyObjectTrump
                                let department = Department(context: context)
                                department.name = "D\(round)"
                                let person = Employee(context: context)
                                person.firstName = "\(writer).\(round)"
                                person.department = department
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.container.perform { context in
                try #expect(context.count(Department.self) == 10)
                for department in try context.fetch(Department.self) {
                    #expect(department.employees.count == 6)
                }
            }
        }
    }
}
