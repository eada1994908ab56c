import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batch deletions and updates of the first rows in an order.
@Suite(.timeLimit(.minutes(60))) struct BatchLimitTests {
    private static func request(_ limit: Int, matching predicate: PredicateTree? = nil) -> FetchRequest<
        MailJob
    > {
        var request = FetchRequest<MailJob>()
        request.predicate = predicate
        request.sortDescriptors = [.key("number")]
        request.fetchLimit = limit
        return request
    }

    private static func fill(_ container: PersistentContainer, _ count: Int) async throws {
        try await container.insert(
            into: MailJob.self, from: (0..<count).reversed().map { ["title": "t", "number": $0] })
    }

    private static func numbers(_ container: PersistentContainer) async throws -> [Int] {
        try await container.perform { try $0.fetch(MailJob.self, sortedBy: .key("number")).map(\.number) }
    }

    @Test func theFirstRowsAreDeletedAndUpdated() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await Self.fill(container, 20)
            try await container.perform { context in
                var result = try context.execute(BatchDeleteRequest(Self.request(5), result: .objectIDs))
                #expect(result.count == 5 && result.objectIDs.count == 5)
                result = try context.execute(
                    BatchDeleteRequest(Self.request(3, matching: .format("number >= 10"))))
                #expect(result.count == 3)
                var descending = Self.request(2)
                descending.sortDescriptors = [.key("number", ascending: false)]
                try #expect(context.execute(BatchDeleteRequest(descending)).count == 2)
                let updated = try context.execute(
                    BatchUpdateRequest(Self.request(2), set: ["number": .increment(by: 100)]))
                #expect(updated.count == 2)
                try #expect(context.execute(BatchDeleteRequest(Self.request(1_000))).count == 10)
                try #expect(context.execute(BatchDeleteRequest(Self.request(1_000))).count == 0)
            }
        }
    }

    @Test func theOthersStay() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await Self.fill(container, 10)
            try await container.perform { context in
                _ = try context.execute(BatchDeleteRequest(Self.request(4)))
                _ = try context.execute(BatchUpdateRequest(Self.request(1), set: ["number": 50]))
            }
            try await #expect(Self.numbers(container) == [5, 6, 7, 8, 9, 50])
            // In the transaction of a unit, and without an order.
            try await container.perform(isolation: .readCommitted) { context in
                var request = FetchRequest<MailJob>()
                request.fetchLimit = 2
                try #expect(context.execute(BatchDeleteRequest(request)).count == 2)
            }
            try await #expect(Self.numbers(container).count == 4)
        }
    }

    /// The condition and the order read other rows, and a count is derived from the rows.
    @Test func derivedCountsFollow() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                let book = Book(context: context)
                (book.title, book.year) = ("b", 2_000)
                for number in 0..<10 { Entry(context: context).fill(amount: number, note: nil, book: book) }
                try context.save()
                var request = FetchRequest<Entry>()
                request.predicate = .format("book.size > 0")
                request.sortDescriptors = [.key("book.title"), .key("amount", ascending: false)]
                request.fetchLimit = 4
                try #expect(context.execute(BatchDeleteRequest(request)).count == 4)
                let entries = BatchUpdateRequest(request, set: ["value": .expression("value + book.size")])
                try #expect(context.execute(entries).count == 4)
            }
            try await container.perform { context in
                try #expect(context.fetch(Book.self).map(\.size) == [6])
                let rest = try context.fetch(Entry.self, sortedBy: .key("amount"))
                #expect(rest.map(\.amount) == [0, 1, 2, 3, 4, 5])
                #expect(rest.map(\.value) == [-1.5, -1.5, 4.5, 4.5, 4.5, 4.5])
            }
        }
    }

    /// Workers neither lose deadlocks nor delete a row twice, and each deletes as many as it may.
    @Test(arguments: [false, true])
    func workersShareTheRows(skipsLocked: Bool) async throws {
        try await withTestStore(MailJob.model()) { container in
            try await Self.fill(container, 1_000)
            let counts = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var counts: [Int] = []
                        for _ in 0..<5 {
                            var request = Self.request(40)
                            if skipsLocked { request.rowLock = .update.skippingLocked }
                            let batch = request
                            counts.append(
                                try await container.perform {
                                    try $0.execute(BatchDeleteRequest(batch)).count
                                })
                        }
                        return counts
                    }
                }
                return try await group.reduce([], +)
            }
            #expect(counts == Array(repeating: 40, count: 20))
            try await #expect(Self.numbers(container) == Array(800..<1_000))
        }
    }

    @Test func lockedRowsAreLeftOut() async throws {
        try await withStore(MailJob.model()) { container, sql in
            try await Self.fill(container, 10)
            let other = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
            defer { other.close() }
            try other.executeScript("BEGIN; SELECT 1 FROM mail_job WHERE number < 3 FOR UPDATE")
            try await container.perform { context in
                var request = Self.request(2)
                request.rowLock = .update.skippingLocked
                try #expect(context.execute(BatchUpdateRequest(request, set: ["note": "x"])).count == 2)
                request.fetchLimit = 0
                try #expect(context.execute(BatchDeleteRequest(request)).count == 7)
            }
            try other.executeScript("COMMIT")
            try await #expect(Self.numbers(container) == [0, 1, 2])
        }
    }

    /// While it waits for the first rows, another session deletes them: the next ones take their places.
    @Test func theCountIsReachedAfterAWait() async throws {
        try await withStore(MailJob.model()) { container, sql in
            try await Self.fill(container, 10)
            let count = try await sql.committing("DELETE FROM mail_job WHERE number < 3") {
                let request = Self.request(4)
                return try await container.perform { try $0.execute(BatchDeleteRequest(request)).count }
            }
            #expect(count == 4)
            try await #expect(Self.numbers(container) == [7, 8, 9])
        }
    }

    @Test func offsetsAndOtherLocksAreErrors() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.perform { context in
                for change in [
                    { $0.fetchOffset = 1 }, { $0.rowLock = .update }, { $0.rowLock = .share.failingIfLocked },
                ] as [(inout FetchRequest<MailJob>) -> Void] {
                    var request = Self.request(1)
                    change(&request)
                    for body in [
                        { _ = try context.execute(BatchDeleteRequest(request)) },
                        { _ = try context.execute(BatchUpdateRequest(request, set: ["note": "x"])) },
                    ] {
                        let error = #expect(throws: FetchError.self) { try body() }
                        #expect(error?.code == .invalidRequest)
                    }
                }
            }
        }
    }
}
