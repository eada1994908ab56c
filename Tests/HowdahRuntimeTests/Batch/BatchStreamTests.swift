import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Rows of asynchronous sequences, which the database gets when the last one is there.
@Suite(.timeLimit(.minutes(60))) struct BatchStreamTests {
    private struct Stop: Error {}

    /// Numbers its rows, and knows how many were asked for.
    private final class Source: AsyncSequence, Sendable {
        typealias Element = [String: any Sendable]
        let asked = Atomic<Int>(0)
        let count: Int
        let failure: Int?

        init(_ count: Int, failsAt failure: Int? = nil) {
            self.count = count
            self.failure = failure
        }

        struct Iterator: AsyncIteratorProtocol {
            let source: Source

            mutating func next() async throws -> [String: any Sendable]? {
                let number = source.asked.add(1, ordering: .relaxed).oldValue
                if number == source.failure { throw Stop() }
                return number < source.count ? ["firstName": "e\(number)", "visits": number] : nil
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
    }

    @Test func aStreamIsOneCOPY() async throws {
        try await withTestStore(Company.model()) { container in
            for count in [0, 1, 2_047, 2_048, 2_049, 5_000] {
                container.statementLog.start()
                let result = try await container.insert(into: Employee.self, from: Source(count))
                #expect(result.count == count && container.statementLog.count == min(count, 1))
                let visits = try await container.perform { context in
                    let found = try context.fetch(Employee.self).map(\.visits)
                    try context.execute(BatchDeleteRequest(Employee.self))
                    return found
                }
                #expect(visits == Array(0..<count))
            }
        }
    }

    @Test func anErrorOfTheStreamLeavesNothing() async throws {
        try await withTestStore(Company.model()) { container in
            for failure in [0, 1, 700, 4_000] {
                await #expect(throws: Stop.self) {
                    try await container.insert(into: Employee.self, from: Source(9_000, failsAt: failure))
                }
            }
            let count = try await container.perform { try $0.count(Employee.self) }
            #expect(count == 0)
        }
    }

    /// While the database takes nothing, the stream runs to its end.
    @Test func theStreamDoesNotWaitForTheDatabase() async throws {
        try await CompanyStore.with { store in
            let session = try store.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
            let source = Source(20_000)
            let task = Task { try await store.container.insert(into: Employee.self, from: source) }
            try await store.untilBlocked()
            #expect(source.asked.load(ordering: .relaxed) == 20_001)
            try session.rollback()
            #expect(try await task.value.count == 20_000)
        }
    }

    @Test func aCancelledTaskEndsTheStreamAndLeavesNothing() async throws {
        try await withTestStore(Company.model()) { container in
            let (stream, continuation) = AsyncStream<[String: any Sendable]>.makeStream()
            let task = Task { try await container.insert(into: Employee.self, from: stream) }
            for number in 0..<1_000 { continuation.yield(["firstName": "e\(number)"]) }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            let count = try await container.perform { try $0.count(Employee.self) }
            #expect(count == 0)
        }
    }

    @Test func aRefusedRowEndsTheStream() async throws {
        try await withTestStore(Company.model()) { container in
            let (stream, continuation) = AsyncStream<[String: any Sendable]>.makeStream()
            for number in 0..<3_000 { continuation.yield(number == 500 ? ["visits": 1] : ["firstName": "e"]) }
            let error = await #expect(throws: SaveError.self) {
                try await container.insert(into: Employee.self, from: stream)
            }
            #expect(error?.issues.first?.row == 501 && error?.issues.first?.propertyName == "firstName")
        }
    }

    @Test func aSequenceIsRunThroughOnce() async throws {
        try await withTestStore(Company.model()) { container in
            let rows = (0..<3_000).lazy.map {
                ["firstName": Value.string("e\($0)"), "visits": .int(Int64($0))]
            }
            let result = try await container.insert(into: Employee.self, result: .objectIDs, from: rows)
            #expect(result.objectIDs.count == 3_000 && Set(result.objectIDs).count == 3_000)
            let visits = try await container.perform { try $0.fetch(Employee.self).map(\.visits) }
            #expect(visits == Array(0..<3_000))
        }
    }
}
