import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Values that a predicate cannot compare with what its key path leads to: the answer names both.
@Suite struct WrongValueTests {
    private static func expectError(
        _ context: ManagedObjectContext, _ tree: PredicateTree, _ parts: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        do {
            _ = try context.fetch(Employee.self, matching: tree)
            Issue.record("\(tree) was run", sourceLocation: location)
        } catch {
            for part in parts where !"\(error)".contains(part) {
                Issue.record("no \(part) in: \(error)", sourceLocation: location)
            }
            #expect(
                (error as? FetchError)?.code == .invalidRequest || error is PredicateTreeError,
                "\(error)", sourceLocation: location)
        }
    }

    @Test func anIDOfAnotherHierarchyIsRefused() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 4)
            try await container.perform { context in
                let employee = try #require(try context.fetch(Employee.self, limit: 1).first)
                let department = try #require(try context.fetch(Department.self, limit: 1).first)
                let (person, place) = (employee.objectID, department.objectID)
                Self.expectError(
                    context, .format("SELF == %@", place), "SELF", "an id of Department", "refers to Employee"
                )
                Self.expectError(
                    context, .format("department == %@", person), "department", "an id of Employee",
                    "refers to Department")
                Self.expectError(
                    context, .format("department != %@", person), "department", "id of Employee")
                Self.expectError(
                    context, .format("projects CONTAINS %@", place), "projects", "id of Department",
                    "refers to Project")
                Self.expectError(
                    context, .format("ANY projects IN %@", [place]), "projects", "id of Department",
                    "refers to Project")
                Self.expectError(
                    context, .format("%@ IN projects", place), "projects", "id of Department",
                    "refers to Project")
                try Self.expectError(
                    context,
                    PredicateTree(#Predicate<Employee> { [place].contains($0.department!.objectID) }),
                    from: place, person)
                let right = try context.fetch(Employee.self, matching: .format("department == %@", place))
                #expect(right.allSatisfy { $0.department == department } && !right.isEmpty)
                #expect(
                    try context.fetch(Employee.self, matching: .format("SELF == %@", person)) == [employee])
            }
        }
    }

    /// The typed front ends cannot say it but by an id without its class.
    private static func expectError(
        _ context: ManagedObjectContext, _ fitting: PredicateTree, from place: ObjectID<Department>,
        _ person: ObjectID<Employee>
    ) throws {
        #expect(try !context.fetch(Employee.self, matching: fitting).isEmpty)
        let foreign = ObjectID<Department>(
            storeIdentifier: place.storeIdentifier, entityName: person.entityName, key: person.key)
        let typed = KeyPathExpression(Employee.self).department == foreign
        expectError(context, typed, "department", "id of Employee", "refers to Department")
        expectError(
            context, try PredicateTree(#Predicate<Employee> { $0.department?.objectID == foreign }),
            "department", "id of Employee", "refers to Department")
    }

    @Test func datesBeyondTheServersAreCompared() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            try await container.perform { context in
                for seconds in [Double.nan, 1e15, -1e15] {
                    let date = Date(timeIntervalSinceReferenceDate: seconds)
                    Self.expectError(
                        context, .format("hiredAt > %@", date), "Employee.hiredAt", "is compared with a date")
                    Self.expectError(
                        context, .format("hiredAt IN %@", [date]), "Employee.hiredAt",
                        "is compared with a date")
                }
                let employee = try #require(try context.fetch(Employee.self).first)
                employee.hiredAt = Date(timeIntervalSinceReferenceDate: 0)
                try context.save()
                let end = Date(timeIntervalSinceReferenceDate: .infinity)
                #expect(try context.count(Employee.self, matching: .format("hiredAt < %@", end)) == 1)
            }
        }
    }

    @Test func theAnswerHasTheKeyPathAsItWasWritten() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                Self.expectError(
                    context, .format("department.employees.firstName == 'x'"),
                    " department.employees.firstName is to-many")
                Self.expectError(
                    context, .format("firstName == department.employees.firstName"),
                    " department.employees.firstName is to-many")
                Self.expectError(
                    context, .format("TERNARY(visits > 30, 1, 'x') == 1"),
                    "An integer and a String have different types.")
            }
        }
    }

    @Test func subQueriesArePlannedByThemselves() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 4)
            try await container.perform { context in
                let titles = Set(try context.fetch(Project.self).map(\.title))
                let title = try #require(titles.min())
                func has(_ title: String) -> PredicateTree { .format("ANY projects.title == %@", title) }
                let expected = try context.fetch(Employee.self, matching: has(title))
                #expect(!expected.isEmpty)
                let any = PredicateTree.or((1..<200).map { has("none\($0)") } + [has(title)])
                #expect(Set(try context.fetch(Employee.self, matching: any)) == Set(expected))
                // More than one FROM may join, so that the last ones are not made joins of.
                let all = PredicateTree.and((0..<66).map { _ in has(title) })
                #expect(Set(try context.fetch(Employee.self, matching: all)) == Set(expected))
                var request = FetchRequest<Employee>()
                request.predicate = all
                let text = try context.explain(request).sql
                #expect(text.components(separatedBy: ") IS TRUE").count == 4)
                let none = PredicateTree.and((0..<66).map { .not(has("none\($0)")) } + [.not(has(title))])
                let others = Set(try context.fetch(Employee.self)).subtracting(expected)
                #expect(Set(try context.fetch(Employee.self, matching: none)) == others)
            }
        }
    }
}
