import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The values before the present event.
@Suite struct EventValueTests {
    private func withCompany(
        _ body: @escaping @Sendable (ManagedObjectContext, [Department], [Employee]) throws -> Void
    ) async throws {
        try await CompanyStore.with { store in
            try await Company.fill(store.container, departments: 2, employees: 4)
            try await store.container.perform { context in
                let departments = try context.fetch(Department.self, sortedBy: .ascending(\.name))
                try body(
                    context, departments, context.fetch(Employee.self, sortedBy: .ascending(\.firstName)))
            }
        }
    }

    @Test func anEventBeginsWhereTheLastOneEnded() async throws {
        try await withCompany { context, departments, staff in
            context.undoManager = UndoStack()
            let person = staff[0]
            #expect(person.changedValuesForCurrentEvent().isEmpty)
            person.visits = 1
            person.visits = 2
            person.department = departments[1]
            let values = person.changedValuesForCurrentEvent()
            #expect(Set(values.keys) == ["visits", "department"])
            #expect(values["visits"] as? Int64 == 0)
            #expect(values["department"] as? Department === departments[0])
            func members(_ department: Department) -> Set<String> {
                let members = department.changedValuesForCurrentEvent()["employees"] as? [Employee]
                return Set((members ?? []).map(\.firstName))
            }
            #expect(
                members(departments[0]) == ["e000", "e002"] && members(departments[1]) == ["e001", "e003"])
            context.processPendingChanges()
            #expect(person.changedValuesForCurrentEvent().isEmpty)
            #expect(departments[0].changedValuesForCurrentEvent().isEmpty)
            person.visits = 3
            #expect(person.changedValuesForCurrentEvent()["visits"] as? Int64 == 2)
            #expect(person.changedValuesForCurrentEvent().count == 1)
            person.visits = 2
            #expect(person.changedValuesForCurrentEvent().isEmpty)
            #expect(person.committedValues(forKeys: ["visits"])["visits"] as? Int64 == 0)
            person.visits = 9
            try context.save()
            #expect(person.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test func linksAreToldOnBothSides() async throws {
        try await withCompany { context, _, staff in
            context.undoManager = UndoStack()
            let project = try #require(staff[0].projects.objects.first)
            project.members.remove(staff[0])
            project.members.insert(staff[1])
            project.members.insert(staff[3])
            project.members.remove(staff[3])
            let before = project.changedValuesForCurrentEvent()["members"] as? [Employee]
            #expect(Set(try #require(before).map(\.firstName)) == ["e000", "e002"])
            #expect(staff[0].changedValuesForCurrentEvent()["projects"] as? [Project] == [project])
            #expect(staff[1].changedValuesForCurrentEvent()["projects"] as? [Project] == [])
            #expect(staff[3].changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test func orderedMembersAreTold() async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let (bed, plants) = (context.insert("Bed"), (0..<3).map { _ in context.insert("Plant") })
                bed["number"] = 0
                for (number, plant) in plants.enumerated() { plant["number"] = number }
                bed["plants"] = plants
                try context.save()
                context.undoManager = UndoStack()
                bed.orderedMembers(forKey: "plants").move(plants[2], to: 0)
                #expect(bed.changedValuesForCurrentEvent()["plants"] as? [ManagedObject] == plants)
                bed.orderedMembers(forKey: "plants").move(plants[2], to: 2)
                #expect(bed.changedValuesForCurrentEvent().isEmpty)
            }
        }
    }

    @Test func withoutAStackAllUnsavedChangesCount() async throws {
        try await withCompany { context, departments, staff in
            staff[0].visits = 1
            context.processPendingChanges()
            staff[0].department = nil
            let values = staff[0].changedValuesForCurrentEvent()
            #expect(Set(values.keys) == ["visits", "department"])
            #expect(values["visits"] as? Int64 == 0)
            #expect(values["department"] as? Department === departments[0])
            #expect(Employee(context: context).changedValuesForCurrentEvent().isEmpty)
        }
    }
}
