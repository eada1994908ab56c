import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Dictionaries, groups and single values.
@Suite struct DictionaryTests {
    /// Three departments, of which the last has nobody; salaries 10, 20, … and visits in turn.
    private static func withStaff(_ body: (PersistentContainer) async throws -> Void) async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let departments = ["art", "law", "zoo"].map { name in
                    let department = Department(context: context)
                    department.name = name
                    return department
                }
                for number in 1...7 {
                    let employee = Employee(context: context)
                    employee.firstName = "e\(number)"
                    employee.lastName = number == 7 ? nil : number % 2 == 0 ? "even" : "odd"
                    employee.salary = Decimal(10 * number)
                    employee.visits = number
                    employee.location = number == 1 ? Location(latitude: 51.5, longitude: -0.1) : nil
                    employee.department = number == 7 ? nil : departments[number % 2]
                }
                try context.save()
            }
            try await body(container)
        }
    }

    @Test func propertiesComeByName() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = [
                    .objectID, "firstName", .property(\.salary), "department.name",
                    .property("department", as: "id"),
                    "location", .property("location.latitude", as: "latitude"),
                ]
                request.sortDescriptors = [.descending(\.salary)]
                container.statementLog.start()
                let rows = try context.fetchDictionaries(request)
                #expect(container.statementLog.statements.count == 1)
                #expect(rows.map { $0["firstName"] as? String } == (1...7).reversed().map { "e\($0)" })
                #expect(rows[0].keys.sorted() == ["firstName", "objectID", "salary"])
                let last = try #require(rows.last)
                let ada = try context.fetch(Employee.self, matching: .format("firstName == 'e1'"))[0]
                #expect(
                    last["objectID"] as? ObjectID<ManagedObject> == ada.objectID.typed(as: ManagedObject.self)
                )
                #expect(last["salary"] as? Decimal == 10 && last["department.name"] as? String == "law")
                #expect(
                    last["id"] as? ObjectID<ManagedObject>
                        == ada.department?.objectID.typed(as: ManagedObject.self))
                #expect((last["location"] as? [String: any Sendable])?["longitude"] as? Double == -0.1)
                #expect(last["latitude"] as? Double == 51.5)
            }
        }
    }

    @Test func allStoredAttributesComeWhereNoneIsNamed() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                let rows = try context.fetchDictionaries(FetchRequest<Employee>())
                #expect(rows.count == 7)
                #expect(rows[0].keys.sorted() == ["firstName", "lastName", "location", "salary", "visits"])
                #expect(rows[0]["visits"] as? Int64 == 1)
            }
        }
    }

    @Test func groupsAreCountedAndAddedUp() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = [
                    "department.name", .count(), .sum(\.salary, as: "total"), .average(\.visits, as: "mean"),
                    .minimum(\.firstName, as: "first"), .maximum(\.salary, as: "most"),
                    .sum(\.visits, as: "visits"),
                    .count(\.lastName, as: "named"),
                ]
                request.propertiesToGroupBy = ["department.name"]
                request.sortDescriptors = [.key("total", ascending: false)]
                let rows = try context.fetchDictionaries(request)
                #expect(rows.map { $0["department.name"] as? String } == ["art", "law", nil])
                #expect(rows.map { $0["count"] as? Int64 } == [3, 3, 1])
                #expect(rows.map { $0["total"] as? Decimal } == [120, 90, 70])
                #expect(rows.map { $0["mean"] as? Decimal } == [4, 3, 7])
                #expect(rows.map { $0["first"] as? String } == ["e2", "e1", "e7"])
                #expect(rows.map { $0["most"] as? Decimal } == [60, 50, 70])
                #expect(rows.map { $0["visits"] as? Int64 } == [12, 9, 7])
                #expect(rows.map { $0["named"] as? Int64 } == [3, 3, 0])

                for format in ["total > 80 AND count == 3", "$total > 80", "NOT total <= 80"] {
                    request.havingPredicate = .format(format)
                    #expect(try context.fetchDictionaries(request).count == 2, "\(format)")
                }
                request.havingPredicate = .format("department.name BEGINSWITH 'a' OR named IN {0}")
                #expect(try context.fetchDictionaries(request).map { $0["count"] as? Int64 } == [3, 1])
                (request.fetchLimit, request.fetchOffset) = (1, 1)
                #expect(try context.fetchDictionaries(request).map { $0["count"] as? Int64 } == [1])
            }
        }
    }

    /// Sums and averages have more digits than what they are made of, and are rounded to those of a Decimal.
    @Test func computedDecimalsAreRounded() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                func number(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }
                let nines = String(repeating: "9", count: 38)
                for (name, salary) in [
                    ("thirds", Decimal(1) / 3), ("thirds", Decimal(100) / 3), ("minus", -Decimal(2) / 3),
                    ("minus", -Decimal(200) / 3), ("carry", try number(nines)),
                    ("carry", try number("0.9")), ("small", try number("1e-100")), ("small", 1),
                ] {
                    let employee = Employee(context: context)
                    (employee.firstName, employee.salary) = (name, salary)
                }
                try context.save()
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = [
                    "firstName", .sum(\.salary, as: "total"), .average(\.salary, as: "mean"),
                ]
                request.propertiesToGroupBy = ["firstName"]
                var totals: [String: Decimal] = [:]
                var means: [String: Decimal] = [:]
                for row in try context.fetchDictionaries(request) {
                    let name = try #require(row["firstName"] as? String)
                    totals[name] = row["total"] as? Decimal
                    means[name] = row["mean"] as? Decimal
                }
                let sixes = String(repeating: "6", count: 36)
                #expect(totals["thirds"] == (try number("33.\(sixes)")))
                #expect(means["thirds"] == (try number("16.8\(String(repeating: "3", count: 35))")))
                #expect(totals["minus"] == (try number("-67.\(String(repeating: "3", count: 36))")))
                #expect(totals["carry"] == (try number("1e38")))
                #expect(totals["small"] == 1)
                request.havingPredicate = .format("total > 33 AND total < 34")
                let kept = try context.fetchDictionaries(request)
                #expect(kept.map { $0["firstName"] as? String } == ["thirds"])
                #expect(kept.first?["total"] as? Decimal == totals["thirds"])
            }
        }
    }

    @Test func allRowsAreOneGroup() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = [.count(), .sum(\.salary, as: "total")]
                let row = try #require(try context.fetchDictionaries(request).first)
                #expect(row["count"] as? Int64 == 7 && row["total"] as? Decimal == 280)
                request.predicate = .format("firstName == 'nobody'")
                let none = try #require(try context.fetchDictionaries(request).first)
                #expect(none["count"] as? Int64 == 0 && none["total"] == nil)
            }
        }
    }

    @Test func equalRowsComeOnce() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.propertiesToFetch = ["lastName"]
                request.returnsDistinctResults = true
                request.sortDescriptors = [.key("lastName", ascending: false)]
                let rows = try context.fetchDictionaries(request)
                #expect(rows.map { $0["lastName"] as? String } == ["odd", "even", nil])
                #expect(try context.fetchValues(of: \.lastName, request) == ["odd", "even", nil])
                request.returnsDistinctResults = false
                #expect(try context.fetchValues(of: \.lastName, request).count == 7)
                // Groups that are equal in what is fetched of them.
                request.propertiesToFetch = [.count()]
                request.propertiesToGroupBy = ["department"]
                request.sortDescriptors = [.key("count")]
                #expect(try context.fetchDictionaries(request).map { $0["count"] as? Int64 } == [1, 3, 3])
                request.returnsDistinctResults = true
                #expect(try context.fetchDictionaries(request).map { $0["count"] as? Int64 } == [1, 3])
            }
        }
    }

    @Test func idsAndResultTypes() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.sortDescriptors = [.descending(\.firstName)]
                request.fetchLimit = 2
                let expected = try context.fetch(request).map(\.objectID)
                container.statementLog.start()
                let ids = try context.fetchObjectIDs(request)
                #expect(ids.map(\.uriRepresentation) == expected.map(\.uriRepresentation))
                #expect(container.statementLog.statements.count == 1)

                let unsaved = Employee(context: context)
                unsaved.firstName = "z"
                #expect(try context.fetchObjectIDs(request).first?.isTemporaryID == true)
                // As in Core Data, values are those of the store.
                #expect(try context.fetchValues(of: \.firstName, request) == ["e7", "e6"])

                request.resultType = .count
                guard case .count(2) = try context.execute(request) else {
                    throw CocoaError(.featureUnsupported)
                }
                request.resultType = .objectIDs
                guard case .objectIDs(let found) = try context.execute(request) else {
                    throw CocoaError(.featureUnsupported)
                }
                #expect(found.count == 2)
                request.resultType = .dictionaries
                guard case .dictionaries(let rows) = try context.execute(request) else {
                    throw CocoaError(.featureUnsupported)
                }
                #expect(rows.first?["firstName"] as? String == "e7")
                context.rollback()
            }
        }
    }

    @Test func whatHasNoValueIsAClearError() async throws {
        try await Self.withStaff { container in
            try await container.perform { context in
                func refuses(_ part: String, _ change: (inout FetchRequest<Employee>) -> Void) {
                    var request = FetchRequest<Employee>()
                    change(&request)
                    #expect { _ = try context.fetchDictionaries(request) } throws: { error in
                        "\(error)".contains(part)
                    }
                }
                refuses("Did you mean 'firstName'") { $0.propertiesToFetch = ["firstname"] }
                refuses("'projects' is to-many") { $0.propertiesToFetch = ["projects"] }
                refuses("Name an attribute with numbers.") {
                    $0.propertiesToFetch = [.sum("firstName", as: "x")]
                }
                refuses("Add it to propertiesToGroupBy") { $0.propertiesToFetch = ["firstName", .count()] }
                refuses("Set propertiesToGroupBy") { $0.havingPredicate = .format("firstName == 'a'") }
                refuses("another name") {
                    $0.propertiesToFetch = ["firstName", .property("lastName", as: "firstName")]
                }
                refuses("Did you mean 'count'") {
                    $0.propertiesToFetch = [.count()]
                    $0.havingPredicate = .format("counts > 1")
                }
                refuses("cannot be a sort key") {
                    $0.propertiesToFetch = [.count()]
                    $0.propertiesToGroupBy = ["lastName"]
                    $0.sortDescriptors = [.ascending(\.firstName)]
                }
            }
        }
    }

    /// The database's answers are those that the objects give.
    @Test func randomRowsAgreeWithTheirObjects() async throws {
        let seed: UInt64 = 71
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: seed)
                let objects = (0..<60).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    object.i32 = Int32(random.generator.next() % 100)
                    object.dec = Decimal(Int(random.generator.next() % 1_000))
                    return object
                }
                for object in objects where random.generator.chance(60) {
                    object.owner = random.generator.pick(objects)
                }
                try context.save()
                var request = FetchRequest<Sample>()
                request.propertiesToFetch =
                    [.objectID] + Sample.attributeNames.map { .property($0) } + [
                        .property("owner.i32", as: "o")
                    ]
                let rows = try context.fetchDictionaries(request)
                #expect(rows.count == objects.count)
                let byID = Dictionary(
                    uniqueKeysWithValues: objects.map { ($0.objectID.uriRepresentation, $0) })
                for row in rows {
                    let id = try #require(row["objectID"] as? ObjectID<ManagedObject>)
                    let object = try #require(byID[id.uriRepresentation])
                    for name in Sample.attributeNames {
                        let (ours, theirs) = (object.value(forKey: name), row[name])
                        #expect("\(ours as Any)".count == "\(theirs as Any)".count, "seed \(seed), \(name)")
                        if !(ours is [String: Any]) {
                            #expect(
                                "\(ours.map { "\($0)" } ?? "nil")" == "\(theirs.map { "\($0)" } ?? "nil")",
                                "seed \(seed), \(name)")
                        }
                    }
                    #expect(row["o"] as? Int64 == (object.owner?.i32).map(Int64.init), "seed \(seed)")
                }
                let groups: [(String, (Sample) -> String)] = [
                    ("flag", { "\($0.flag)" }), ("oStr", { $0.oStr ?? "-" }),
                    ("owner", { "\($0.owner?.objectID.uriRepresentation.absoluteString ?? "-")" }),
                    ("oFlag", { $0.oFlag.map { "\($0)" } ?? "-" }),
                ]
                for (name, key) in groups {
                    var request = FetchRequest<Sample>()
                    request.propertiesToFetch = [
                        .property(name), .count(), .sum(\.i32, as: "sum"), .sum(\.dec, as: "total"),
                        .minimum(\.str, as: "min"), .maximum(\.oI64, as: "max"), .count(\.oI64, as: "some"),
                    ]
                    request.propertiesToGroupBy = [.property(name)]
                    let rows = try context.fetchDictionaries(request)
                    let expected = Dictionary(grouping: objects, by: key)
                    #expect(rows.count == expected.count, "seed \(seed), \(name)")
                    for row in rows {
                        let value = row[name].map { value in
                            (value as? ObjectID<ManagedObject>)?.uriRepresentation.absoluteString
                                ?? "\(value)"
                        }
                        let members = try #require(expected[value ?? "-"], "seed \(seed), \(name)")
                        #expect(row["count"] as? Int64 == Int64(members.count))
                        #expect(row["sum"] as? Int64 == members.reduce(0) { $0 + Int64($1.i32) })
                        #expect(row["total"] as? Decimal == members.reduce(0) { $0 + $1.dec })
                        #expect(row["some"] as? Int64 == Int64(members.filter { $0.oI64 != nil }.count))
                        #expect(row["max"] as? Int64 == members.compactMap(\.oI64).max())
                        let least = members.map(\.str).min {
                            $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars)
                        }
                        #expect(row["min"] as? String == least)
                    }
                }
            }
        }
    }
}
