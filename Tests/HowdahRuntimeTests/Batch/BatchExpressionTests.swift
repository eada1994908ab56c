import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Batch updates that have the database compute the new values.
@Suite struct BatchExpressionTests {
    private static let rounds = TestTier.choose(quick: 1, all: 3, nightly: 60)
    private static let updates = 60

    @Test func theDatabaseComputesWhatMemoryComputes() async throws {
        for seed in 0..<UInt64(Self.rounds) {
            try await withTestStore(ManagedObjectModel(Sample.self)) { container in
                try await container.perform { context in
                    var random = RandomValues(seed: seed)
                    let objects = (0..<25).map { _ in
                        let object = Sample(context: context)
                        object.fill(&random)
                        return object
                    }
                    for object in objects where random.generator.chance(70) {
                        object.owner = random.generator.pick(Array(objects.prefix(10)))
                    }
                    try context.save()
                    var expressions = RandomSamplePredicates(seed: seed, objectIDs: [])
                    var (decided, changed) = (0, 0)
                    for _ in 0..<Self.updates {
                        let (name, expression) = expressions.setting()
                        let comment = Comment(rawValue: "seed \(seed): \(name) = \(expression)")
                        let update = BatchUpdateRequest(
                            Sample.self, set: [name: BatchUpdateValue(kind: .computed(expression))])
                        guard let expected = try? objects.map({ try expression.value(on: $0) }) else {
                            #expect(throws: (any Error).self, comment) { try context.execute(update) }
                            continue
                        }
                        let before = try objects.map { try $0.held(name) }
                        let versions = try context.fetchRows(
                            Int.self, sql: "SELECT _version FROM sample ORDER BY _id")
                        do {
                            let count = try context.execute(update).count
                            #expect(count == objects.count, comment)
                        } catch {
                            Issue.record("\(comment): \(error)")
                            continue
                        }
                        try context.refreshAllObjects()
                        for (object, value) in zip(objects, expected) {
                            let (held, wanted) = (try object.held(name), value.stored(as: name))
                            #expect(held.isAlike(wanted), "\(comment): \(held), not \(wanted)")
                        }
                        let after = try objects.map { try $0.held(name) }
                        if zip(before, after).contains(where: { !$0.isAlike($1) }) { changed += 1 }
                        decided += 1
                        let newer = try context.fetchRows(
                            Int.self, sql: "SELECT _version FROM sample ORDER BY _id")
                        #expect(newer == versions.map { $0 + 1 })
                    }
                    #expect(decided > Self.updates * 8 / 10 && changed > Self.updates / 3)
                }
            }
        }
    }

    @Test func aFormatOrAnExpressionMacroSaysWhatIsComputed() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 12)
            try await container.perform { context in
                let people = try context.fetch(Employee.self)
                for (number, person) in people.enumerated() {
                    (person.visits, person.lastName) = (number, number % 4 == 0 ? nil : "Ünlü \(number)")
                    person.location = Location(latitude: Double(number), longitude: 2)
                }
                try context.save()
                container.statementLog.start()
                let day = Date(timeIntervalSinceReferenceDate: 0)
                try context.execute(
                    BatchUpdateRequest(
                        Employee.self,
                        set: [
                            "visits": .expression("visits * %d + department.employees.@count", 2),
                            "lastName": .expression("uppercase:(lastName)"),
                            "firstName": .expression("department.name"),
                            "salary": .expression("TERNARY(visits < 3, %@, salary + 1)", Decimal(10)),
                            "location.latitude": .expression("sqrt:(location.latitude)"),
                            "hiredAt": .expression("%@", day),
                        ]))
                // Values come from other rows, so that the rows are locked first.
                #expect(container.statementLog.count == 2)
                try context.refreshAllObjects()
                for (number, person) in people.enumerated() {
                    #expect(person.visits == number * 2 + 4)
                    #expect(person.lastName == (number % 4 == 0 ? nil : "ÜNLÜ \(number)"))
                    #expect(person.firstName == person.department?.name && person.hiredAt == day)
                    #expect(number >= 3 || person.salary == 10)
                    #expect(person.location == Location(latitude: Double(number).squareRoot(), longitude: 2))
                }
                let factor = 3
                try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: .format("visits > 20"),
                        set: ["visits": .expression(#Expression<Employee, Int> { $0.visits * factor - 1 })]))
                let raised = people.filter { $0.visits > 20 }
                let before = raised.map(\.visits)
                try context.refreshAllObjects()
                #expect(!raised.isEmpty && raised.map(\.visits) == before.map { $0 * 3 - 1 })
            }
        }
    }

    @Test func aToOneRelationshipTakesWhereAPathLeads() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 12)
            try await container.perform { context in
                for department in try context.fetch(Department.self) {
                    department.head = department.employees.first { _ in true }
                }
                try context.save()
                let people = try context.fetch(Employee.self)
                let own = BatchUpdateRequest(
                    Employee.self, matching: .format("visits >= 0"),
                    set: ["department": .expression("department.head.department")])
                #expect(try context.execute(own).count == 12)
                try context.refreshAllObjects()
                #expect(people.allSatisfy { $0.department?.head?.department === $0.department })
                let first = try #require(people.first?.department)
                let conditional = BatchUpdateRequest(
                    Employee.self,
                    set: [
                        "department": .expression(
                            "TERNARY(department == %@, nil, department)", first.objectID)
                    ])
                try context.execute(conditional)
                try context.refreshAllObjects()
                #expect(people[0].department == nil && first.employees.count == 0)
                #expect(people.filter { $0.department == nil }.count == 4)
                for wrong in ["SELF", "visits", "department.employees", "projects"] {
                    expect(.invalidRequest) {
                        try context.execute(
                            BatchUpdateRequest(Employee.self, set: ["department": .expression(wrong)]))
                    }
                }
            }
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 2)
            try await container.perform { context in
                func run(_ name: String, _ value: BatchUpdateValue) throws {
                    try context.execute(BatchUpdateRequest(Employee.self, set: [name: value]))
                }
                for (name, format) in [
                    ("visits", "salary * 2"), ("visits", "location.latitude"), ("visits", "firstName"),
                    ("salary", "location.latitude"), ("firstName", "visits"), ("hiredAt", "visits + 1"),
                    ("location", "location"), ("location", "visits"), ("visits", "department"),
                    ("visits", "projects"), ("firstName", "department.employees.firstName"),
                    ("nam", "visits"), ("location.altitude", "visits"),
                ] {
                    expect(.invalidRequest) { try run(name, .expression(format)) }
                }
                for format in [
                    "visits +", "visits == 1", "%@", "vists + 1", "$x + 1", "firstName + 1", "(visits",
                ] {
                    #expect(throws: PredicateTreeError.self, "\(format)") {
                        try run("visits", .expression(format))
                    }
                }
                #expect(throws: PredicateTreeError.self) { try run("visits", .expression("visits", 1)) }
                try run("visits", .expression("floor:(salary * 1.5)"))
                try run("visits", .expression("-ceiling:(salary)"))
                // No result is nil, which a required property refuses.
                let error = #expect(throws: SaveError.self) { try run("visits", .expression("visits / 0")) }
                #expect(error?.code == .validation && error?.issues.first?.propertyName == "visits")
                try run("lastName", .expression("TERNARY(visits / 0 > 1, 'a', nil)"))
                let beyond = #expect(throws: SaveError.self) {
                    try run("visits", .expression("floor:(%@)", Decimal(string: "1e30")))
                }
                #expect(beyond?.code == .validation)
            }
        }
    }
}

extension RandomSamplePredicates {
    /// An attribute and a computed operand that it can take.
    fileprivate mutating func setting() -> (name: String, expression: PredicateTree.Expression) {
        let depth = random.generator.pick([0, 1, 1, 2, 3])
        switch random.generator.pick([0, 1, 2, 3, 4, 5, 6, 7]) {
        case 0: return ("oI64", number(depth, .integer, []))
        case 1: return ("oDec", number(depth, .integer, []))
        case 2: return ("oDec", number(depth, .decimal, []))
        case 3: return ("oDbl", number(depth, .double, []))
        case 4: return ("oFlag", .function(.modulus, [number(depth, .integer, []), .constant(.int(3))]))
        case 5: return ("oStr", text(depth, []))
        case 6: return ("oDate", date(depth, []))
        default: return ("owner", object(depth, []))
        }
    }
}

extension Sample {
    fileprivate func held(_ name: String) throws -> Value {
        _willRead()
        if name == "owner" {
            return owner.map {
                .reference(ObjectReference(key: $0.objectID.key, entity: "Sample"))
            } ?? .null
        }
        return _value(at: try #require(Self.attributeNames.firstIndex(of: name)))
    }
}

extension Value {
    /// What an attribute of ``Sample`` makes of a computed value.
    fileprivate func stored(as name: String) -> Value {
        switch (name, self) {
        case ("oI64", .bool(let flag)): .int(flag ? 1 : 0)
        case ("oDec", .bool(let flag)): .decimal(flag ? 1 : 0)
        case ("oDec", .int(let number)): .decimal(Decimal(number))
        case ("oDbl", .float(let number)): .double(Double(number))
        case ("oDbl", .int(let number)): .double(Double(number))
        case ("oFlag", .int(let number)): .bool(number != 0)
        default: self
        }
    }

    fileprivate func isAlike(_ other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        default: self == other
        }
    }
}
