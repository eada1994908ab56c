import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Predicates on what is in memory already.
@Suite struct FilteredTests {
    @Test func objectsAreKeptAsAFetchFindsThem() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 30)
            try await container.perform { context in
                let employees = try context.fetch(Employee.self, sortedBy: .ascending(\.firstName))
                for (number, employee) in employees.enumerated() { employee.visits = number % 7 }
                try context.save()
                let name = try #require(employees[4].department?.name)
                for tree in [
                    PredicateTree.format("visits > 3"), .format("NOT lastName ==[c] 'x'"), .true, .false,
                    .format("department.name == %@ AND visits BETWEEN {1, 5}", name),
                    .format("department.employees.@count > 5 OR SELF == %@", employees[0].objectID),
                    try PredicateTree(#Predicate<Employee> { $0.visits == 2 }),
                    KeyPathExpression(Employee.self).department.name.contains("e"),
                ] {
                    let found = try context.fetch(
                        Employee.self, matching: tree, sortedBy: .ascending(\.firstName))
                    #expect(try employees.filtered(using: tree) == found, "\(tree)")
                    for employee in employees {
                        #expect(try tree.evaluate(with: employee) == found.contains(employee), "\(tree)")
                    }
                }
                // A to-many relationship is filtered as an array is.
                let department = try #require(employees[4].department)
                let members = try department.employees.filtered(using: .format("visits < 3"))
                #expect(Set(members) == Set(department.employees.filter { $0.visits < 3 }))
                #expect(!members.isEmpty)
            }
        }
    }

    @Test func unsavedChangesCountAndNothingIsAsked() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 4)
            try await container.perform { context in
                var employees = try context.fetch(Employee.self)
                for employee in employees { employee.visits = 1 }
                let new = Employee(context: context)
                (new.firstName, new.visits) = ("new", 9)
                employees.append(new)
                employees[0].visits = 8
                container.statementLog.start()
                #expect(try employees.filtered(using: .format("visits > 5")) == [employees[0], new])
                #expect(container.statementLog.count == 0)
            }
        }
    }

    @Test func wrongPredicatesAndLostFaultsAreErrors() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 2)
            try await container.perform { context in
                let employees = try context.fetch(Employee.self)
                for (tree, code) in [
                    (PredicateTree.format("visits >"), PredicateTreeError.Code.syntax),
                    (.format("vists == 1"), .unknownKey), (.format("visits == $n"), .unboundVariable),
                    (.format("projects.title == 'x'"), .invalidOperand),
                ] {
                    let error = #expect(throws: PredicateTreeError.self) {
                        try employees.filtered(using: tree)
                    }
                    #expect(error?.code == code, "\(tree)")
                    #expect(throws: PredicateTreeError.self) { try tree.evaluate(with: employees[0]) }
                }
                // The wrong tree is an error even where there is nothing to filter.
                #expect(throws: PredicateTreeError.self) {
                    try [Employee]().filtered(using: .format("visits >"))
                }
            }
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    let ids = try context.fetchObjectIDs(FetchRequest<Department>())
                    let department = context.object(with: ids[0])
                    try context.execute(BatchDeleteRequest(Department.self))
                    _ = try [department].filtered(using: .format("name != 'x'"))
                }
            }
            #expect(error?.code == .objectNotFound, "\(error.map { "\($0)" } ?? "kept")")
        }
    }

    @Test func rowsOfValuesAreKept() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 8)
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = ["firstName", "department.name", "salary", "location"]
                let rows = try context.fetchDictionaries(request)
                for format in [
                    "department.name == %@", "department.name != %@", "NOT department.name BEGINSWITH[c] %@",
                ] {
                    let tree = PredicateTree.format(format, rows[0]["department.name"] as? String)
                    let kept = try rows.filtered(using: tree)
                    #expect(try kept.count == context.count(Employee.self, matching: tree), "\(tree)")
                }
                #expect(try rows.filtered(using: .format("department.name != NULL")).count == 8)
            }
        }
        let row: [String: any Sendable] = [
            "n": 5, "price": Decimal(string: "0.1") ?? 0, "name": "Ångström", "tags": ["a", "b"],
            "place": ["lat": 51.5] as [String: any Sendable], "empty": String?.none,
            "at": Date(timeIntervalSinceReferenceDate: 0),
        ]
        for (format, holds) in [
            ("n BETWEEN {1, 5}", true), ("price == 0.1", true), ("name ==[cd] 'ANGSTROM'", true),
            ("name == 'ANGSTROM'", false), ("ANY tags == 'a'", true), ("tags CONTAINS 'c'", false),
            ("tags.@count == 2", true), ("place.lat > 51", true), ("place.lon == NULL", true),
            ("missing == NULL", true), ("empty == NULL", true), ("missing > 3", false),
            ("at == CAST(0, 'NSDate')", true), ("n + 1 == 6 AND NOT n IN {1, 2}", true),
        ] {
            #expect(try PredicateTree(format: format).evaluate(with: row) == holds, "\(format)")
        }
        let wrong: [String: any Sendable] = ["n": 1, "span": Duration.seconds(1)]
        let error = #expect(throws: PredicateTreeError.self) {
            try PredicateTree(format: "n == 1").evaluate(with: wrong)
        }
        #expect(error?.code == .argumentType && error?.message.contains("'span'") == true)
    }
}
