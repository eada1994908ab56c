import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// How many statements loops over faults send. "1 more per 1,000" is the step of a cohort.
@Suite struct CohortTests {
    enum Order: CaseIterable { case forward, backward, random }

    @Test func aLoopOver10000FaultsSendsAHandful() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 50, employees: 10_000)
            for order in Order.allCases {
                try await expectStatements(2, on: container) {
                    try await container.perform { context in
                        let employees = arranged(try context.fetch(Employee.self), order)
                        #expect(employees.count == 10_000)
                        #expect(employees.allSatisfy { $0.department?.name.hasPrefix("d") ?? false })
                    }
                }
                // Ids first: ten steps of 1,000 rows, then the departments.
                try await expectStatements(12, on: container) {
                    try await container.perform { context in
                        var request = FetchRequest<Employee>()
                        request.includesPropertyValues = false
                        let employees = arranged(try context.fetch(request), order)
                        #expect(employees.allSatisfy { $0.isFault })
                        #expect(employees.allSatisfy { !$0.firstName.isEmpty })
                        #expect(employees.allSatisfy { $0.department?.name != nil })
                    }
                }
            }
        }
    }

    @Test func everyOtherDestinationIsLoadedInSteps() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2_500, employees: 5_000)
            for order in Order.allCases {
                try await container.perform { context in
                    let employees = arranged(try context.fetch(Employee.self), order)
                    container.statementLog.start()
                    for employee in employees { #expect(employee.department?.name.isEmpty == false) }
                    #expect((3...5).contains(container.statementLog.count), "2,500 destinations, \(order)")
                }
                try await container.perform { context in
                    let departments = arranged(try context.fetch(Department.self), order)
                    container.statementLog.start()
                    var count = 0
                    for department in departments {
                        for employee in department.employees { count += employee.firstName.isEmpty ? 0 : 1 }
                    }
                    #expect(count == 5_000)
                    #expect(container.statementLog.count == 3, "1,000 owners a step, \(order)")
                    for department in departments {
                        #expect(department.employees.allSatisfy { $0.department === department })
                    }
                    #expect(container.statementLog.count == 3)
                }
            }
        }
    }

    @Test func nestedLoopsCostAStatementPerLevel() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 20, employees: 400)
            for order in Order.allCases {
                try await expectStatements(4, on: container) {
                    try await container.perform { context in
                        var titles: Set<String> = []
                        var mates = 0
                        for department in arranged(try context.fetch(Department.self), order) {
                            for employee in department.employees {
                                for project in employee.projects {
                                    titles.insert(project.title)
                                    mates += project.members.objects.count
                                }
                            }
                        }
                        #expect(titles.count == 100)
                        #expect(mates == 400)
                    }
                }
            }
        }
    }

    @Test func withoutCohortsEachObjectAsksForItself() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 5, employees: 5)
            try await expectStatements(6, on: container) {
                try await container.perform { context in
                    var request = FetchRequest<Employee>()
                    request.loadsCohorts = false
                    for employee in try context.fetch(request) { _ = employee.department?.name }
                }
            }
        }
    }

    @Test func tooManyRowsAreAnError() async throws {
        var options = StoreOptions()
        options.cohortRowLimit = 10
        try await withTestStore(Company.model(), options: options) { container in
            try await Company.fill(container, departments: 4, employees: 32)
            try await container.perform { context in
                // Together they have 32 members; alone each fits.
                for department in try context.fetch(Department.self) {
                    #expect(department.employees.objects.count == 8)
                }
                let department = try #require(try context.fetch(Department.self).first)
                for employee in try context.fetch(Employee.self, limit: 20) {
                    employee.department = department
                }
                try context.save()
            }
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    let department = try #require(
                        try context.fetch(Department.self).max { $0.employees.count < $1.employees.count })
                    #expect(department.employees.count >= 20)
                    #expect(department.employees.objects.isEmpty)
                    #expect((context.failure as? FetchError)?.code == .tooManyRows)
                    _ = try context.fetch(Department.self)
                }
            }
            #expect(error?.code == .tooManyRows)
            #expect(error?.message.contains("employees") == true)
        }
    }

    @Test func prefetchingCostsAStatementPerStep() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 30, employees: 1_500)
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.loadsCohorts = false
                request.relationshipKeyPathsForPrefetching = ["department", "department.rooms", "projects"]
                container.statementLog.start()
                let employees = try context.fetch(request)
                #expect(container.statementLog.count == 4)
                for employee in employees {
                    #expect(employee.department?.name.isEmpty == false)
                    #expect(employee.department?.rooms.count == 0)
                    for project in employee.projects { #expect(!project.title.isEmpty) }
                }
                #expect(container.statementLog.count == 4)
                for path in ["departement", "firstName", "department.name"] {
                    request.relationshipKeyPathsForPrefetching = [path]
                    request.predicate = .format("firstName == 'nobody'")
                    expect(.invalidRequest) { try context.fetch(request) }
                }
            }
        }
    }

    /// A to-one, a to-many and a many-to-many: four statements for 10,000 owners, one more for each in the next chunk.
    @Test func prefetchingCostsAnotherStatementPerChunk() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 10_001, employees: 10_001)
            for (limit, statements) in [(10_000, 4), (0, 7)] {
                try await container.perform { context in
                    var request = FetchRequest<Employee>()
                    request.fetchLimit = limit
                    request.relationshipKeyPathsForPrefetching = [
                        "department", "department.rooms", "projects",
                    ]
                    container.statementLog.start()
                    let employees = try context.fetch(request)
                    let sent = container.statementLog.count
                    #expect(sent == statements)
                    for employee in employees {
                        #expect(employee.department != nil && employee.projects.count >= 0)
                    }
                    #expect(container.statementLog.count == sent)
                }
            }
        }
    }

    private func arranged<T>(_ objects: [T], _ order: Order) -> [T] {
        switch order {
        case .forward: return objects
        case .backward: return objects.reversed()
        case .random:
            var generator = SeededGenerator(seed: 30)
            return objects.shuffled(using: &generator)
        }
    }
}
