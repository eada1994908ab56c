import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct BatchInsertTests {
    private static func rows(_ count: Int) -> [[String: any Sendable]] {
        (0..<count).map { ["firstName": "e\($0)", "visits": $0, "lastName": $0 % 3 == 0 ? nil : "l\($0)"] }
    }

    @Test func rowsGoByOneCOPYAndGetDefaults() async throws {
        try await withTestStore(Company.model()) { container in
            container.statementLog.start()
            let result = try await container.insert(into: Employee.self, from: Self.rows(3_000))
            #expect(container.statementLog.statements.map { $0.sql.prefix(5) } == ["COPY "])
            #expect(result.count == 3_000 && result.insertedCount == 3_000 && result.objectIDs.isEmpty)
            try await container.perform { context in
                let people = try context.fetch(Employee.self, sortedBy: .key("visits"))
                #expect(people.map(\.visits) == Array(0..<3_000))
                #expect(people.map(\.objectID.uriRepresentation.absoluteString.count).min() ?? 0 > 0)
                #expect(people.allSatisfy { $0.salary == 0 && $0.location == nil && $0.department == nil })
                #expect(people[3].lastName == nil && people[4].lastName == "l4")
                // Keys and versions are those of other objects.
                people[7].firstName = "changed"
                Employee(context: context).firstName = "new"
                try context.save()
                try #expect(context.count(Employee.self) == 3_001)
            }
        }
    }

    @Test func nothingIsSentForNoRows() async throws {
        try await withTestStore(Company.model()) { container in
            container.statementLog.start()
            let none: [[String: any Sendable]] = []
            let result = try await container.insert(into: Employee.self, from: none)
            #expect(result.count == 0)
            #expect(container.statementLog.events.isEmpty)
        }
    }

    @Test func idsAscendInTheOrderOfAGeneratorsRows() async throws {
        try await withTestStore(Company.model()) { container in
            container.statementLog.start()
            let ids = try await container.perform { context in
                var number = 0
                let request = BatchInsertRequest(Employee.self, result: .objectIDs) { row in
                    #expect(row.isEmpty)
                    row["firstName"] = "e\(number)"
                    row["visits"] = number
                    number += 1
                    return number > 3_500
                }
                let result = try context.execute(request)
                #expect(result.count == 3_500 && result.insertedObjectIDs == result.objectIDs)
                return result.objectIDs
            }
            // 1,024, 2,048 and the rest: the source does not say how many there are.
            #expect(container.statementLog.count == 3)
            try await container.perform { context in
                let people = try context.fetch(Employee.self)
                #expect(people.map(\.objectID) == ids)
                #expect(people.map(\.visits) == Array(0..<3_500))
            }
        }
    }

    @Test func valuesAreKeptAsSavesKeepThem() async throws {
        try await withTestStore(Company.model()) { container in
            let date = Date(timeIntervalSinceReferenceDate: 0.123_456_7)
            try await container.perform { context in
                try context.execute(
                    BatchInsertRequest(
                        Employee.self,
                        objects: [
                            [
                                "firstName": "e\u{301}", "hiredAt": date,
                                "location": Location(latitude: 1, longitude: 2),
                            ],
                            ["firstName": "b", "location.latitude": 3.0, "location.longitude": 4.0],
                            [
                                "firstName": "c", "location": ["latitude": 5.0, "longitude": 6.0],
                                "salary": 7,
                            ],
                            [
                                "firstName": Value.string("d"), "hiredAt": NSNull(),
                                "lastName": Optional<Int>.none as Any,
                            ],
                        ]))
            }
            try await container.perform { context in
                let people = try context.fetch(Employee.self)
                #expect(people.map { Array($0.firstName.unicodeScalars).count } == [1, 1, 1, 1])
                #expect(people[0].hiredAt == Date(timeIntervalSinceReferenceDate: 0.123_457))
                #expect(people.map(\.location?.latitude) == [1, 3, 5, nil])
                #expect(people.map(\.location?.longitude) == [2, 4, 6, nil])
                #expect(people.map(\.salary) == [0, 0, 7, 0] && people[3].hiredAt == nil)
            }
        }
    }

    @Test func everyTypeOfAttributeIsAsASaveStoresIt() async throws {
        try await withTestStore(try ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 41)
                var rows: [[String: Any]] = []
                for number in 0..<300 {
                    let sample = Sample(context: context)
                    sample.fill(&random)
                    // Dates as such rows have them in every second object, whole microseconds in the others.
                    sample.i64 = Int64(number)
                    rows.append(
                        Dictionary(
                            uniqueKeysWithValues: Sample.attributeNames.enumerated().map { slot, name in
                                number % 2 == 0
                                    ? (name, sample._value(at: slot) as Any)
                                    : (name, sample.value(forKey: name) as Any)
                            }))
                }
                try context.save()
                try context.execute(BatchInsertRequest(Sample.self, objects: rows))
            }
            try await container.perform { context in
                let samples = try context.fetch(Sample.self)
                #expect(samples.count == 600)
                for (saved, inserted) in zip(samples.prefix(300), samples.suffix(300)) {
                    #expect(saved.picture == inserted.picture)
                }
            }
        }
    }

    @Test func aFailureInTheMiddleLeavesNothing() async throws {
        struct Stop: Error {}
        try await withTestStore(Company.model()) { container in
            try await container.perform(isolation: .readCommitted) { context in
                Employee(context: context).firstName = "before"
                try context.save()
                var number = 0
                #expect(throws: Stop.self) {
                    try context.execute(
                        BatchInsertRequest(Employee.self) { row in
                            number += 1
                            if number == 5_000 { throw Stop() }
                            row["firstName"] = "e\(number)"
                            return false
                        })
                }
                // A savepoint: the transaction goes on.
                Employee(context: context).firstName = "after"
                try context.save()
            }
            let names = try await container.perform { try $0.fetch(Employee.self).map(\.firstName) }
            #expect(names == ["before", "after"])
        }
    }

    @Test func aTransactionThatRollsBackTakesTheRowsAlong() async throws {
        struct Stop: Error {}
        try await withTestStore(Company.model()) { container in
            await #expect(throws: Stop.self) {
                try await container.perform(isolation: .readCommitted) { context in
                    try context.execute(BatchInsertRequest(Employee.self, objects: [["firstName": "a"]]))
                    try #expect(context.count(Employee.self) == 1)
                    throw Stop()
                }
            }
            let count = try await container.perform { try $0.count(Employee.self) }
            #expect(count == 0)
        }
    }

    @Test func objectsWithoutAClassAreNamedByTheirEntity() async throws {
        try await withTestStore(Sample.dynamicModel()) { container in
            let row: [String: any Sendable] = ["str": "a"]
            let error = await #expect(throws: SaveError.self) {
                try await container.insert(into: ManagedObject.self, entityName: "Sample", from: [row])
            }
            #expect(error?.issues.first?.propertyName == "i16" && error?.issues.first?.row == 1)
            await #expect(throws: FetchError.self) {
                try await container.insert(into: ManagedObject.self, entityName: "Sampel", from: [row])
            }
        }
    }
}
