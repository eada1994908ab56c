import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct RelationshipTests {
    /// n children cost n operations from either side: neither side is read, searched or loaded per child.
    @Test(arguments: [true, false]) func manyChildrenAreBuiltInLinearTime(fromParent: Bool) async throws {
        try await withTestStore(Company.model()) { container in
            func build(_ count: Int) async throws -> Duration {
                try await container.perform { context in
                    let saved = Department(context: context)
                    saved.name = "saved \(count) \(fromParent)"
                    try context.save()
                    context.refresh(saved)
                    let new = Department(context: context)
                    container.statementLog.start()
                    let begin = Self.processorTime
                    for parent in [saved, new] {
                        for _ in 0..<count / 2 {
                            let child = Employee(context: context)
                            if fromParent {
                                parent.employees.insert(child)
                            } else {
                                child.department = parent
                            }
                        }
                    }
                    let time = Self.processorTime - begin
                    #expect(container.statementLog.count <= 1, "one fault may be filled")
                    #expect(new.employees.count == count / 2)
                    #expect(saved.employees.count == count / 2)
                    // Taking the last ones away again is as cheap.
                    for child in new.employees.objects.suffix(count / 4) { new.employees.remove(child) }
                    #expect(new.employees.count == count / 4)
                    context.rollback()
                    return time
                }
            }
            _ = try await build(100)
            let (small, large) = (try await build(1_000), try await build(16_000))
            // Linear is 16 times as much work; quadratic 256 times. What other threads do meanwhile does not count.
            #expect(large < small * 100 + .milliseconds(500), "1,000: \(small), 16,000: \(large)")
        }
    }

    /// How long this thread has worked.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test func savingManyChildrenKeepsThem() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "R"
                for number in 0..<2_000 {
                    let employee = Employee(context: context)
                    employee.firstName = "\(number)"
                    department.employees.insert(employee)
                }
                try context.save()
            }
            try await container.perform { context in
                let department = try #require(try context.fetch(Department.self).first)
                #expect(department.employees.count == 2_000)
                #expect(Set(department.employees.map(\.firstName)).count == 2_000)
            }
        }
    }

    @Test func countsAndMembershipDoNotLoad() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 5, employees: 50)
            try await container.perform { context in
                let departments = try context.fetch(Department.self, sortedBy: .key("name"))
                let stranger = try #require(try context.fetch(Employee.self, limit: 1).first)
                container.statementLog.start()
                #expect(departments.map(\.employees.count) == [10, 10, 10, 10, 10])
                #expect(container.statementLog.count == 1, "one statement counts for the whole cohort")
                #expect(departments.allSatisfy { !$0.employees.isEmpty })
                #expect(container.statementLog.count == 1)
                #expect(departments[0].employees.contains(stranger))
                #expect(!departments[1].employees.contains(stranger))
                #expect(container.statementLog.count == 1, "a loaded member knows its department")
                #expect(context.registeredObjectCount == 6, "no member was loaded")

                // Changes on collections that are not loaded.
                let newcomer = Employee(context: context)
                departments[0].employees.insert(newcomer)
                departments[1].employees.insert(stranger)
                departments[1].employees.insert(stranger)
                #expect(departments.map(\.employees.count) == [10, 11, 10, 10, 10])
                #expect(departments[0].employees.contains(newcomer))
                #expect(!departments[0].employees.contains(stranger))
                #expect(stranger.department === departments[1])
                departments[0].employees.remove(newcomer)
                #expect(newcomer.department == nil)
                #expect(departments.map(\.employees.count) == [9, 11, 10, 10, 10])
                #expect(container.statementLog.count == 1)
                #expect(departments[1].employees.map(\.self).count == 11)
                #expect(container.statementLog.count == 2, "walking loads, for the whole cohort")
                #expect(departments[4].employees.map(\.self).count == 10)
                #expect(container.statementLog.count == 2)
            }
        }
    }

    @Test func membershipOfManyToManyAsksOnce() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 4)
            try await container.perform { context in
                let project = try #require(try context.fetch(Project.self).first)
                let employees = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                container.statementLog.start()
                #expect(project.members.contains(employees[0]))
                #expect(!project.members.contains(employees[1]))
                #expect(container.statementLog.count == 2, "a statement per question, and nothing loaded")
                // Adding a stored member and removing it again leaves it removed; the other way round it stays.
                project.members.insert(employees[0])
                project.members.remove(employees[0])
                project.members.remove(employees[1])
                project.members.insert(employees[1])
                #expect(!project.members.contains(employees[0]))
                #expect(project.members.contains(employees[1]))
                #expect(container.statementLog.count == 4, "a change back asks what the first one changed")
                try context.save()
            }
            try await container.perform { context in
                let project = try #require(try context.fetch(Project.self).first)
                #expect(Set(project.members.map(\.firstName)) == ["e001", "e002"])
            }
        }
    }

    @Test func replacingKeepsWhatIsInBoth() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 8)
            try await container.perform { context in
                let departments = try context.fetch(Department.self, sortedBy: .key("name"))
                let (kept, other) = (departments[0].employees.objects[0], departments[1].employees.objects[0])
                departments[0].employees.replace(with: [other, kept, other])
                #expect(Set(departments[0].employees) == [kept, other])
                #expect(departments[1].employees.count == 3)
                #expect(!kept.hasChanges)
                try context.save()
            }
            try await container.perform { context in
                let departments = try context.fetch(Department.self, sortedBy: .key("name"))
                #expect(departments.map(\.employees.count) == [2, 3])
                #expect(try context.count(Employee.self, matching: .format("department == nil")) == 3)
            }
        }
    }

    /// The one-to-one side without a column, set while it is a fault, survives the filling of the fault.
    @Test func oneToOneSidesOfFaultsAreKept() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 4)
            let ids = try await container.perform { context in
                let department = try #require(
                    try context.fetch(Department.self, sortedBy: .key("name")).first)
                department.head = department.employees.objects[0]
                try context.save()
                return (department.objectID, department.employees.map(\.objectID))
            }
            try await container.perform { context in
                let department = context.object(with: ids.0)
                let (former, next) = (context.object(with: ids.1[0]), context.object(with: ids.1[1]))
                department.head = next
                #expect(next.heads === department)
                #expect(former.heads == nil)
                #expect(!next.firstName.isEmpty && !former.firstName.isEmpty)
                #expect(next.heads === department)
                #expect(former.heads == nil)
                context.refresh(former)
                #expect(former.heads == nil, "the store still says otherwise, the unsaved change counts")
                context.rollback()
                #expect(department.head === former)
                #expect(former.heads === department)
                #expect(next.heads == nil)
                former.heads = nil
                #expect(department.head == nil)
                context.refresh(department)
                #expect(department.head === former)
                #expect(former.heads === department)
            }
        }
    }
}
