import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Key paths in place of names: which are known, and what becomes of the others.
@Suite struct KeyPathTests {
    @Test func keyPathsHaveTheNamesOfTheModel() {
        #expect(PropertyNames.name(of: \Employee.lastName) == "lastName")
        #expect(PropertyNames.name(of: \Employee.department) == "department")
        #expect(PropertyNames.name(of: \Department.employees) == "employees")
        #expect(PropertyNames.name(of: \Location.latitude) == "latitude")
        #expect(PropertyNames.name(of: \Person.name) == "name")
        #expect(PropertyNames.name(of: \Worker.name) == "name")
        #expect(PropertyNames.name(of: \Boss.name) == "name")
        #expect(PropertyNames.name(of: \Boss.wage) == "wage")
        #expect(PropertyNames.name(of: \Boss.title) == "title")
        #expect(PropertyNames.name(of: \Employee.fullName) == nil)
        #expect(PropertyNames.name(of: \Employee.department?.name) == nil)
        #expect(PropertyNames.name(of: \String.count) == nil)
    }

    @Test func everyPropertyIsListed() throws {
        for type in [Department.self, Employee.self, Project.self, Person.self, Boss.self, Sample.self] {
            #expect(type._keyPaths.map(\.name) == type.propertyNames)
            #expect(Set(type._keyPaths.map(\.keyPath)).count == type.propertyNames.count)
        }
    }

    @Test func idsAndCountsAreRecognised() {
        #expect(PropertyNames.step(of: \Employee.objectID) == .objectID)
        #expect(PropertyNames.step(of: \Boss.objectID) == .objectID)
        #expect(PropertyNames.step(of: \Person.objectID) == .objectID)
        #expect(PropertyNames.step(of: \Employee.otherID) == nil)
        #expect(PropertyNames.step(of: \ToMany<Employee>.count) == .count)
        #expect(PropertyNames.step(of: \ToMany<Worker>.isEmpty) == .isEmpty)
        #expect(PropertyNames.step(of: \ToMany<Worker>.underestimatedCount) == nil)
    }

    @Test func sortsByKeyPath() {
        let keys: [SortKey<Employee>] = [
            .ascending(\.lastName), .descending(\.salary), .ascending(\.department, \.name),
            .descending(\.department, \.head, \.firstName), .ascending(\.location, \.latitude),
            .key("visits"),
        ]
        #expect(
            keys == [
                .key("lastName"), .key("salary", ascending: false), .key("department.name"),
                .key("department.head.firstName", ascending: false), .key("location.latitude"),
                .key("visits"),
            ])
        #expect(SortKey<Sample>.descending(\.box, \.width) == .key("box.width", ascending: false))
        #expect(SortKey<Boss>.ascending(\.name) == .key("name"))
    }

    @Test func sortsAndPrefetchesInTheDatabase() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 9)
            let before = container.statementLog.count
            try await container.perform { context in
                let people = try context.fetch(
                    Employee.self, where: #Predicate { $0.department?.name != "d00001" },
                    sortedBy: .descending(\.department, \.name), .descending(\.firstName), limit: 5,
                    prefetching: \.department, \.projects)
                #expect(people.map(\.firstName) == ["e008", "e005", "e002", "e006", "e003"])
                for person in people { _ = (person.department?.name, person.projects.objects.count) }
            }
            #expect(container.statementLog.count - before == 3)
            try await container.perform { context in
                let all = try context.fetch(
                    Department.self, sortedBy: .ascending(\.name), prefetching: \.employees)
                #expect(all.map { $0.employees.count } == [3, 3, 3])
                let named = try context.fetch(
                    "Department", sortedBy: .key("name", ascending: false), limit: 1)
                #expect(named.count == 1)
                var request = FetchRequest<Employee>(where: #Predicate { $0.department?.name == "d00002" })
                request.sortDescriptors = [.key("firstName")]
                try request.prefetch(\.department)
                #expect(try context.fetch(request).map(\.firstName) == ["e002", "e005", "e008"])
                #expect(try context.count(Employee.self, where: #Predicate { $0.salary > 3 }) == 0)
                let deletion = BatchDeleteRequest(
                    Employee.self, where: #Predicate { $0.department?.name == "d00002" })
                #expect(try context.execute(deletion).count == 3)
            }
        }
    }

    @Test func aKeyPathWithoutANameIsAnErrorOfTheFetch() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let bad: [SortKey<Employee>] = [
                    .ascending(\.fullName), .descending(\.fullName), .ascending(\.department, \.initial),
                ]
                for key in bad {
                    #expect {
                        try context.fetch(Employee.self, sortedBy: key)
                    } throws: { error in
                        (error as? FetchError)?.code == .invalidRequest && "\(error)".contains("in steps")
                    }
                }
                expect(.invalidRequest) {
                    try context.fetch(Employee.self, prefetching: \.boss)
                }
                #expect {
                    try context.fetch(Employee.self, where: #Predicate { $0.fullName == "x" })
                } throws: { error in
                    (error as? PredicateTreeError)?.code == .unknownKey && "\(error)".contains("Employee")
                }
                let count = try context.count(Employee.self, where: #Predicate { $0.salary + 1 > 3 })
                #expect(count == 0)
                #expect(context.failure == nil)
            }
        }
    }

    @Test func aHiddenSetterMakesNoDifference() async throws {
        try await withTestStore(ManagedObjectModel(Sealed.self)) { container in
            try await container.perform { context in
                for code in ["a", "c", "b"] { Sealed(context: context).seal(code) }
                try context.save()
                let found = try context.fetch(
                    Sealed.self, where: #Predicate { $0.code != "a" }, sortedBy: .ascending(\.code))
                #expect(found.map(\.code) == ["b", "c"])
            }
        }
    }

    @Test func inheritedPropertiesAreFoundInEachClass() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let boss = Boss(context: context)
                (boss.name, boss.wage, boss.title) = ("b", 5, "Admiral")
                let worker = Worker(context: context)
                (worker.name, worker.wage) = ("w", 3)
                worker.boss = boss
                try context.save()
                let id = boss.objectID
                #expect(
                    try context.fetch(Boss.self, where: #Predicate { $0.name == "b" && $0.wage > 3 }) == [
                        boss
                    ])
                #expect(
                    try context.fetch(Worker.self, where: #Predicate { $0.boss?.name == "b" }) == [worker])
                #expect(
                    try context.fetch(Worker.self, where: #Predicate { $0.boss?.objectID == id }) == [worker])
                #expect(try context.fetch(Person.self, where: #Predicate { $0.name < "w" }) == [boss])
                #expect(
                    try context.fetch(Boss.self, where: #Predicate { $0.team.contains { $0.name == "w" } })
                        == [boss])
                let names = try context.fetch(Worker.self, sortedBy: .descending(\.name)).map(\.name)
                #expect(names == ["w", "b"])
            }
        }
    }
}

extension Employee {
    fileprivate var fullName: String { firstName + (lastName ?? "") }
    fileprivate var otherID: ObjectID<Employee> { objectID }
    fileprivate var boss: Employee? { department?.head }
}

extension Department {
    fileprivate var initial: String { String(name.prefix(1)) }
}
