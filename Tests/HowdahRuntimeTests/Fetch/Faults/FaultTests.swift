import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct FaultTests {
    @Test func refetchingKeepsUnsavedChanges() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 3)
            try await container.perform { context in
                let employees = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                employees[0].visits = 7
                try container.newBackgroundContext().performAndWait { other in
                    for employee in try other.fetch(Employee.self) { employee.visits = 100 }
                    try other.save()
                }
                let again = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                #expect(again.map(\.visits) == [7, 0, 0], "registered objects keep what they hold")
                context.refresh(employees[1])
                #expect(employees[1].isFault)
                #expect(employees.map(\.visits) == [7, 100, 0])
                context.refresh(employees[0])
                #expect(!employees[0].hasChanges)
                #expect(employees[0].visits == 100)
                employees[0].visits += 1
                try context.save()
            }
        }
    }

    @Test func refreshingPutsRelationshipsBack() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 4)
            try await container.perform { context in
                let departments = try context.fetch(Department.self, sortedBy: .key("name"))
                let employee = departments[0].employees.objects[0]
                employee.department = departments[1]
                let newcomer = Employee(context: context)
                newcomer.department = departments[0]
                context.refresh(employee)
                context.refresh(departments[0])
                #expect(employee.department === departments[0])
                #expect(Set(departments[0].employees).isSuperset(of: [employee, newcomer]))
                #expect(departments[0].employees.count == 3)
                #expect(!departments[1].employees.contains(employee))
                #expect(departments[1].employees.objects.count == 2)
            }
        }
    }

    @Test func requestsSayHowMuchIsRead() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 3)
            for asFaults in [true, false] {
                try await expectStatements(1, on: container) {
                    try await container.perform { context in
                        var request = FetchRequest<Employee>()
                        request.returnsObjectsAsFaults = asFaults
                        let employees = try context.fetch(request)
                        #expect(asFaults || employees.allSatisfy { !$0.isFault })
                        #expect(employees.allSatisfy { !$0.firstName.isEmpty })
                    }
                }
            }
            try await expectStatements(2, on: container) {
                try await container.perform { context in
                    var request = FetchRequest<Employee>()
                    request.includesPropertyValues = false
                    request.predicate = .format("firstName != 'e001'")
                    request.sortDescriptors = [.key("firstName", ascending: false)]
                    let employees = try context.fetch(request)
                    #expect(employees.allSatisfy { $0.isFault })
                    #expect(employees.map(\.firstName) == ["e002", "e000"])
                    #expect(employees.allSatisfy { !$0.isFault })
                }
            }
        }
    }

    @Test func pendingDeletionsAreNotFetched() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 4)
            try await container.perform { context in
                let employees = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                context.delete(employees[1])
                #expect(try context.fetch(Employee.self).count == 3)
                let department = try #require(try context.fetch(Department.self).first)
                #expect(department.employees.objects.count == 3)
                try context.save()
                #expect(department.employees.count == 3)
                #expect(!department.employees.contains(employees[1]))
            }
        }
    }

    /// A fault whose row is gone reads as zero values, and the run throws; nothing traps.
    @Test func vanishedRowsAreErrors() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 2)
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    var request = FetchRequest<Employee>()
                    request.includesPropertyValues = false
                    let employees = try context.fetch(request)
                    try container.newBackgroundContext().performAndWait { other in
                        for employee in try other.fetch(Employee.self) { other.delete(employee) }
                        try other.save()
                    }
                    #expect(employees[0].firstName == "")
                    #expect(employees[0].department == nil)
                    #expect(employees[0].projects.objects.isEmpty)
                    expect(.objectNotFound) { try context.fetch(Department.self) }
                }
            }
            #expect(error?.code == .objectNotFound)
            #expect(error?.objectURI?.contains("/Employee/p") == true)
        }
    }

    @Test func hierarchiesComeInTheirClasses() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let boss = Boss(context: context)
                boss.name = "Grace"
                boss.title = "Admiral"
                boss.wage = 3
                for number in 0..<6 {
                    let worker = number % 2 == 0 ? Worker(context: context) : Boss(context: context)
                    worker.name = "w\(number)"
                    worker.wage = number
                    worker.boss = boss
                    let person = Person(context: context)
                    person.name = "p\(number)"
                    person.friend = number == 5 ? boss : worker
                }
                try context.save()
            }
            try await container.perform { context in
                let everybody = try context.fetch(Person.self, sortedBy: .key("name"))
                #expect(everybody.count == 13)
                #expect(everybody.filter { type(of: $0) == Boss.self }.count == 4)
                #expect(everybody.filter { type(of: $0) == Worker.self }.count == 3)
                #expect((everybody[0] as? Boss)?.title == "Admiral")
                #expect((everybody[0] as? Boss)?.team.count == 6)
                var exact = FetchRequest<Person>()
                exact.includesSubentities = false
                #expect(try context.fetch(exact).count == 6)
                #expect(try context.count(for: exact) == 6)
                #expect(
                    try context.fetch(Worker.self, matching: .format("wage > 2")).map(\.name).sorted() == [
                        "Grace", "w3", "w4", "w5",
                    ])
                #expect(
                    try context.fetch(Worker.self, matching: .format("boss.title == 'Admiral'")).count == 6)
                #expect(
                    try context.fetch(Boss.self, matching: .format("ANY team.wage == 4")).map(\.name) == [
                        "Grace"
                    ])
                #expect(
                    try context.fetch(Person.self, matching: .format("ANY admirers.name == 'p2'")).map(\.name)
                        == ["w2"])
            }
            // Destinations of several classes: a statement each for the rows, whatever the classes.
            try await expectStatements(2, on: container) {
                try await container.perform { context in
                    let persons = try context.fetch(
                        Person.self, matching: .format("name BEGINSWITH 'p'"),
                        sortedBy: .key("name"))
                    #expect(persons.map { $0.friend?.name } == ["w0", "w1", "w2", "w3", "w4", "Grace"])
                    #expect(persons[1].friend is Boss)
                    #expect((persons[5].friend as? Boss)?.title == "Admiral")
                }
            }
        }
    }
}
