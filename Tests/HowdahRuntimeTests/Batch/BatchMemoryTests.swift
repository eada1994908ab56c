import Foundation
import Howdah
import HowdahTesting
import Testing

/// Batch insertions hold a chunk in memory, whatever the number of their rows.
@Suite(.serialized) struct BatchMemoryTests {
    private static let rows =
        ProcessInfo.processInfo.environment["HOWDAH_NIGHTLY"] != nil ? 1_000_000 : 60_000
    private static let most = 30 << 20

    @Test func aGeneratorsRowsDoNotPileUp() async throws {
        try await withTemporaryStore(Company.model()) { container in
            try await container.perform { context in
                var watch = Watch()
                let request = BatchInsertRequest(Employee.self) { row in
                    guard watch.next() <= Self.rows else { return true }
                    row["firstName"] = "number \(watch.count)"
                    row["visits"] = watch.count
                    return false
                }
                let count = try context.execute(request).count
                #expect(count == Self.rows)
                #expect(watch.growth < Self.most, "\(watch.growth) bytes more")
            }
        }
    }

    @Test func objectsDoNotPileUp() async throws {
        try await withTemporaryStore(Company.model()) { container in
            try await container.perform { context in
                var watch = Watch()
                let request = BatchInsertRequest(Employee.self) { (employee: Employee) in
                    guard watch.next() <= Self.rows else { return true }
                    employee.firstName = "number \(watch.count)"
                    employee.visits = watch.count
                    return false
                }
                let count = try context.execute(request).count
                #expect(count == Self.rows)
                #expect(watch.growth < Self.most, "\(watch.growth) bytes more")
                try #expect(context.count(Employee.self, matching: .format("visits > 0")) == Self.rows)
            }
        }
    }

    @Test func rowsThatMeetOthersDoNotPileUp() async throws {
        try await withTemporaryStore(Company.model()) { container in
            try await container.perform { context in
                var watch = Watch()
                let request = BatchInsertRequest(Department.self, uniqueness: .mergeByPropertyObjectTrump) {
                    row in
                    guard watch.next() <= Self.rows / 4 else { return true }
                    row["name"] = "number \(watch.count % 5_000)"
                    return false
                }
                let result = try context.execute(request)
                #expect(result.insertedCount == 5_000 && result.updatedCount == Self.rows / 4 - 5_000)
                #expect(watch.growth < Self.most, "\(watch.growth) bytes more")
            }
        }
    }

    /// Counts rows, and looks at the memory of the process now and then.
    private struct Watch {
        private(set) var count = 0
        private var first = 0
        private(set) var growth = 0

        mutating func next() -> Int {
            count += 1
            if count == 5_000 { first = Self.residentBytes }
            if count > 5_000, count % 1_000 == 0 { growth = max(growth, Self.residentBytes - first) }
            return count
        }

        private static var residentBytes: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
        }
    }
}
