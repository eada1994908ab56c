import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Rows that are refused: by name, by the model's rules in the database, and where in the source they were.
@Suite struct BatchFailureTests {
    private static func book(_ number: Int, year: Int = 2000) -> [String: any Sendable] {
        ["title": "T\(number)", "year": year]
    }

    private static func failure(
        _ rows: [[String: any Sendable]], _ policy: MergePolicy.MergeType, _ container: PersistentContainer
    ) async -> SaveError? {
        await #expect(throws: SaveError.self) {
            try await container.insert(into: Book.self, uniqueness: policy, from: rows)
        }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump, .overwrite])
    func brokenRulesNameEntityPropertyAndRow(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            var rows = (0..<2_500).map { Self.book($0) }
            rows[1_700]["year"] = 1899
            var error = await Self.failure(rows, policy, container)
            #expect(error?.code == .validation)
            #expect(
                error?.issues.first?.entityName == "Ledger" && error?.issues.first?.propertyName == "year")
            #expect(error?.issues.first?.row == 1_701)
            #expect(error?.description.contains("row 1701") == true)

            rows[1_700]["year"] = nil as (any Sendable)?
            rows[1_700].removeValue(forKey: "year")
            error = await Self.failure(rows, policy, container)
            #expect(error?.issues.first?.code == 1570 && error?.issues.first?.row == 1_701)

            rows[1_700]["year"] = 100_000
            error = await Self.failure(rows, policy, container)
            #expect(error?.code == .validation && error?.issues.first?.row == 1_701)

            rows[1_700]["year"] = 2000
            rows[1_700]["title"] = "with\0zero"
            error = await Self.failure(rows, policy, container)
            #expect(error?.issues.first?.propertyName == "title" && error?.issues.first?.row == 1_701)
            let count = try await container.perform { try $0.count(Book.self) }
            #expect(count == 0)
        }
    }

    @Test func aUniqueValueThatIsThereFailsTheWhole() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.insert(into: Book.self, from: [Self.book(70)])
            let error = await Self.failure((0..<100).map { Self.book($0) }, .error, container)
            #expect(error?.code == .uniqueness)
            #expect(error?.issues.first?.properties == ["title", "year"])
            #expect(error?.issues.first?.row == 71)
            #expect(try await container.perform { try $0.count(Book.self) } == 1)
        }
    }

    /// The server's message has the table's name as it is.
    @Test(arguments: [RefusedRowPolicy.fail, .collect(upTo: 3)])
    func theNameOfATableIsNotARow(policy: RefusedRowPolicy) async throws {
        try await withTestStore(ManagedObjectModel(OddJob.self)) { container in
            for (value, property) in [(-1, "number"), (100_000, "number")] {
                var rows = (1...30).map { ["number": $0] as [String: any Sendable] }
                rows[20]["number"] = value
                do {
                    let result = try await container.insert(
                        into: OddJob.self, refusedRows: policy, from: rows)
                    #expect(result.refused.map(\.row) == [21] && result.insertedCount == 29)
                    try await container.perform { try $0.execute(BatchDeleteRequest(OddJob.self)) }
                } catch let error as SaveError {
                    #expect(policy == .fail && error.issues.map(\.row) == [21])
                    #expect(error.issues.first?.propertyName == property)
                }
            }
        }
    }

    @Test func aCancelledTaskLeavesNothing() async throws {
        try await withTestStore(Company.model()) { container in
            let started = Latch()
            let task = Task {
                try await container.perform { context in
                    var number = 0
                    try context.execute(
                        BatchInsertRequest(Employee.self) { row in
                            number += 1
                            if number == 2_000 { started.open() }
                            row["firstName"] = "e"
                            return false
                        })
                }
            }
            await onThread { started.wait() }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            let count = try await container.perform { try $0.count(Employee.self) }
            #expect(count == 0)
        }
    }
}

@Entity(table: "odd, 7 b") private final class OddJob: ManagedObject {
    @Attribute(minimum: 0) var number: Int16
}
