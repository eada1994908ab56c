import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Key paths over collections, and their operators.
@Suite struct KeyPathOperatorTests {
    private static let dates = (0..<3).map { Date(timeIntervalSinceReferenceDate: Double($0) * 1000) }

    private static func fill(_ context: ManagedObjectContext) throws -> Department {
        let department = Department(context: context)
        department.name = "R"
        let project = Project(context: context)
        project.title = "p"
        let other = Project(context: context)
        other.title = "q"
        for number in 0..<3 {
            let employee = Employee(context: context)
            employee.firstName = "E\(number)"
            employee.lastName = number == 0 ? nil : "same"
            employee.salary = Decimal(number) + 0.1
            employee.visits = number * 10
            employee.hiredAt = number == 1 ? nil : dates[number]
            if number > 0 { employee.location = Location(latitude: Double(number), longitude: 0.5) }
            employee.department = department
            employee.projects.insert(project)
            if number == 2 { employee.projects.insert(other) }
        }
        try context.save()
        return department
    }

    @Test func operatorsGiveWhatTheyPromise() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = try Self.fill(context)
                func value(_ path: String) -> Any? { department.value(forKeyPath: path) }
                #expect(value("employees.@count") as? Int64 == 3)
                #expect(value("employees.@sum.salary") as? Decimal == Decimal(string: "3.3", locale: nil))
                #expect(value("employees.@avg.salary") as? Decimal == Decimal(string: "1.1", locale: nil))
                #expect(value("employees.@sum.visits") as? Int64 == 30)
                #expect(value("employees.@avg.visits") as? Decimal == 10)
                // Nil is no value, so that the mean is that of the two others.
                #expect(value("employees.@sum.location.latitude") as? Double == 3)
                #expect(value("employees.@avg.location.latitude") as? Double == 1.5)
                #expect(value("employees.@min.hiredAt") as? Date == Self.dates[0])
                #expect(value("employees.@max.hiredAt") as? Date == Self.dates[2])
                #expect(value("employees.@max.firstName") as? String == "E2")
                #expect(value("employees.@unionOfObjects.lastName") as? [String] == ["same", "same"])
                #expect(value("employees.@distinctUnionOfObjects.lastName") as? [String] == ["same"])
                let objects = value("employees.@distinctUnionOfObjects.department") as? [ManagedObject]
                #expect(objects == [department])
                #expect((value("employees.@unionOfArrays.projects") as? [ManagedObject])?.count == 4)
                #expect((value("employees.@distinctUnionOfSets.projects") as? [ManagedObject])?.count == 2)
                #expect(
                    (value("employees.@unionOfSets.projects.title") as? [String])?.sorted() == ["p", "q"])
                #expect(
                    Set((value("employees.projects.@count") as? [Any?] ?? []).map { $0 as? Int64 }) == [1, 2])
                #expect(value("employees.@sum.projects.@count") as? Int64 == 4)
                #expect(value("employees.@max.projects.@count") as? Int64 == 2)
                let titles = value("employees.projects.@max.title") as? [Any?]
                #expect(titles?.compactMap { $0 as? String }.sorted() == ["p", "p", "q"])
                let employee = try #require(department.employees.objects.first)
                #expect(employee.value(forKeyPath: "department.employees.@sum.visits") as? Int64 == 30)
                #expect(employee.value(forKeyPath: "department.name") as? String == "R")
                #expect(employee.value(forKeyPath: "firstName") as? String == employee.firstName)
            }
        }
    }

    @Test func emptyCollectionsKeepTheType() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = Department(context: context)
                func value(_ path: String) -> Any? { department.value(forKeyPath: path) }
                #expect(value("employees.@count") as? Int64 == 0)
                #expect(value("employees.@sum.salary") as? Decimal == 0)
                #expect(value("employees.@sum.visits") as? Int64 == 0)
                #expect(value("employees.@sum.location.latitude") as? Double == 0)
                #expect(value("employees.@avg.location.latitude") as? Double == 0)
                #expect(value("employees.@avg.visits") as? Decimal == 0)
                #expect(value("employees.@sum.projects.@count") as? Int64 == 0)
                #expect(value("employees.@min.salary") == nil && value("employees.@max.firstName") == nil)
                #expect((value("employees.@distinctUnionOfObjects.firstName") as? [Any])?.isEmpty == true)
                #expect(department.value(forKeyPath: "head.location.latitude") == nil)
                #expect(department.value(forKeyPath: "head.projects.@count") == nil)
            }
        }
    }

    @Test func sumsAreExact() {
        #expect(NumberSum([Int64.max, Int64(1)]).sum as? Decimal == Decimal(Int64.max) + 1)
        #expect(NumberSum([Int64.max, Int64(1), Int64(-1)]).sum as? Decimal == Decimal(Int64.max))
        #expect(NumberSum([Int64(1), Int64(2)]).average as? Decimal == Decimal(string: "1.5", locale: nil))
        #expect(NumberSum([true, false, true]).sum as? Int64 == 2)
        #expect(NumberSum([Float(0.5), nil, Float(0.25)]).sum as? Double == 0.75)
        #expect(Extreme.of([nil, "b", "a", nil, "a"], wanted: .less) as? String == "a")
        #expect(
            Extreme.of([Double.nan, 1.0], wanted: .greater).map { ($0 as? Double)?.isNaN == true } == true)
    }

    @Test func countingLoadsNothingAndWalkingLoadsForAll() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 4, employees: 20)
            try await container.perform { context in
                let departments = try context.fetch(Department.self)
                container.statementLog.start()
                let counts = departments.map { $0.value(forKeyPath: "employees.@count") as? Int64 }
                #expect(counts == [5, 5, 5, 5] && container.statementLog.count == 1)
                let sums = departments.map {
                    $0.value(forKeyPath: "employees.@sum.projects.@count") as? Int64
                }
                #expect(sums.compactMap(\.self).reduce(0, +) == 10)
                // The members of all departments, and the counts for all members.
                #expect(container.statementLog.count == 3, "\(container.statementLog.count)")
            }
        }
    }

    @Test func theStoreAddsUpTheSame() async throws {
        try await CompanyStore.with { store in
            for seed in 0..<UInt64(6) {
                let name = "d\(seed)"
                let sums = try await store.container.perform { context in
                    var random = SeededGenerator(seed: seed)
                    let department = Department(context: context)
                    department.name = name
                    for _ in 0..<Int.random(in: 0..<30, using: &random) {
                        let employee = Employee(context: context)
                        employee.firstName = random.pick(["a", "b", "Z", "é", "zz"])
                        employee.salary = Decimal(Int.random(in: -9999...9999, using: &random)) / 100
                        employee.visits = Int.random(in: -1000...1000, using: &random)
                        if random.chance(50) { employee.lastName = random.pick(["x", "y"]) }
                        employee.department = department
                    }
                    try context.save()
                    return [
                        "@sum.salary", "@sum.visits", "@min.salary", "@max.visits", "@min.firstName",
                        "@max.lastName", "@count",
                    ].map { department.value(forKeyPath: "employees." + $0).map { "\($0)" } ?? "-" }
                }
                let row = try store.session().query(
                    """
                    SELECT trim_scale(coalesce(sum(salary), 0))::text, coalesce(sum(visits), 0)::text,
                        trim_scale(min(salary))::text, max(visits)::text, min(first_name COLLATE "C"),
                        max(last_name COLLATE "C"), count(*)::text
                    FROM employee WHERE department = (SELECT _id FROM department WHERE name = '\(name)')
                    """)
                var expected: [String] = []
                row.forEachRow { row in
                    expected = (0..<7).map { row[$0].isNull ? "-" : row[$0].string() }
                }
                #expect(sums == expected, "seed \(seed)")
            }
        }
    }

    @Test func pathsAreSetAtTheirEnd() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = try Self.fill(context)
                let employee = try #require(department.employees.objects.first { $0.firstName == "E1" })
                employee.setValue("S", forKeyPath: "department.name")
                #expect(department.name == "S")
                employee.setValue(7, forKeyPath: "location.longitude")
                #expect(employee.location == Location(latitude: 1, longitude: 7))
                department.setValue(3.5, forKeyPath: "head.location.latitude")
                department.head = employee
                department.setValue(3.5, forKeyPath: "head.location.latitude")
                #expect(employee.location == Location(latitude: 3.5, longitude: 7))
                department.setValue(5, forKeyPath: "employees.visits")
                #expect(department.value(forKeyPath: "employees.@sum.visits") as? Int64 == 15)
                employee.setValue("E9", forKeyPath: "firstName")
                #expect(employee.firstName == "E9")
                try context.save()
            }
        }
    }

    @Test func arraysOfScalarsHaveOperatorsToo() async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let (plant, bed) = (context.insert("Plant"), context.insert("Bed"))
                #expect(plant.value(forKeyPath: "tags.@count") == nil)
                plant["tags"] = ["b", "a", "b"]
                plant["bed"] = bed
                #expect(plant.value(forKeyPath: "tags.@count") as? Int64 == 3)
                #expect(plant.value(forKeyPath: "tags.@max.self") as? String == "b")
                #expect(
                    plant.value(forKeyPath: "tags.@distinctUnionOfObjects.self") as? [String] == ["b", "a"])
                #expect(bed.value(forKeyPath: "plants.@sum.tags.@count") as? Int64 == 3)
                #expect(
                    bed.value(forKeyPath: "plants.@distinctUnionOfArrays.tags") as? [String] == ["b", "a"])
            }
        }
    }

    @Test(arguments: [
        ("head.firstNam", ["'head.firstNam'", "Employee has no property 'firstNam'", "'firstName'"]),
        ("employees.location.latitud", ["location has no element 'latitud'", "'latitude'"]),
        ("name.length", ["'name' is an attribute"]), ("employees.@sum", ["@sum has no key path after it"]),
        ("employees.@som.salary", ["@som is not an operator", "'@sum'"]),
        ("employees.@count.salary", ["nothing can follow @count"]),
        ("employees.@sum.firstName", ["@sum needs numbers"]),
        ("employees.@max.department", ["@max needs one attribute"]),
        ("employees.@sum.projects.title", ["@sum needs one attribute"]),
        ("employees.@max.location", ["values with an order"]),
        ("employees.@unionOfSets.firstName", ["joins collections"]),
        ("head.@count", ["needs a collection", "Employee"]), ("employees..salary", ["no property ''"]),
    ]) func wrongPathsNameWhatIsNearest(path: String, parts: [String]) throws {
        let model = try Company.model()
        let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
        let layout = try #require(layouts.layout(named: "Department"))
        let error = #expect(throws: FetchError.self) {
            try KeyPathCheck.check(path, from: layout, in: layouts.entities)
        }
        for part in parts { #expect(error?.message.contains(part) == true, "\(error?.message ?? "")") }
    }

    @Test func aMisspeltPathFailsTheContextAlsoIfNothingIsThere() async throws {
        await #expect(throws: FetchError.self) {
            try await withTestStore(Company.model()) { container in
                try await container.perform { context in
                    context.insert("Department").setValue(1, forKeyPath: "head.visit")
                }
            }
        }
    }
}
