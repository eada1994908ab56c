import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// A stream holds no thread, connection or transaction while its source or client does nothing.
@Suite(.timeLimit(.minutes(60))) struct StreamHoldingTests {
    @Test("Insertions fed from the same container finish", arguments: [1, 2])
    func copiesWithinAContainerFinish(connections: Int) async throws {
        try await StreamStore.with(connections: connections) { store in
            _ = try await store.company.hire(600)
            let container = store.container
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let names = container.batches(of: FetchRequest<Employee>(), size: 50, \.firstName)
                        let rows = names.flatMap { batch in
                            AsyncStream<[String: String]> { stream in
                                for name in batch { stream.yield(["firstName": name + "+"]) }
                                stream.finish()
                            }
                        }
                        return try await container.insert(into: Employee.self, from: rows).count
                    }
                }
                for try await count in group { #expect(count == 600 || count == 1_200) }
            }
            let count1 = try await store.employees()
            #expect(count1 >= 1_800)
        }
    }

    @Test func idleStreamsHoldNothing() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let idle = IdleStreams()
            let streams = idle.all(of: store.container) + idle.all(of: store.container)
            let tasks = streams.map { stream in Task { try await stream.run() } }
            try await store.untilRunning(tasks.count)
            try await store.expectNothingHeld()
            idle.release()
            for task in tasks { try await task.value }
            // Two insertions and four imports with an object each.
            let count2 = try await store.employees()
            #expect(count2 == 7)
        }
    }

    @Test func aSlowClientHoldsNothingAndGetsOneMoment() async throws {
        try await StreamStore.with(connections: 1) { store in
            _ = try await store.company.hire(1_200)
            let (latch, pieces) = (Latch(), Shared<[Data]>([]))
            let container = store.container
            let task = Task {
                try await container.exportGraph { piece in
                    pieces.withLock { $0.append(piece) }
                    latch.wait()
                }
            }
            try await latch.untilWaiting(1)
            try await store.expectNothingHeld()
            _ = try await store.company.hire(1)
            latch.open()
            let count3 = try await task.value.lineCount
            #expect(count3 == 1_200)
            // Pieces are whole lines.
            let newline = UInt8(ascii: "\n")
            let found = pieces.withLock { $0 }
            #expect(found.count == 3 && found.allSatisfy { $0.last == newline })
            #expect(found.reduce(0) { sum, piece in sum + piece.count { $0 == newline } } == 1_200)
        }
    }

    /// Code of the program runs inside of its task, also on a thread of its own.
    @Test func closuresSeeTaskLocalValues() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let seen = Shared<[Int]>([])
            let container = store.container
            try await Local.$value.withValue(7) {
                try await container.importGraph {
                    seen.withLock { $0.append(Local.value) }
                    return nil
                }
                try await container.exportGraph { _ in seen.withLock { $0.append(Local.value) } }
            }
            #expect(seen.withLock { $0 } == [7, 7])
        }
    }

    @MainActor @Test func theMainThreadIsNotBlocked() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let names = Shared<[String?]>([])
            try await store.container.importGraph {
                names.withLock { $0.append(Thread.current.name) }
                return nil
            }
            try await store.container.exportGraph { _ in names.withLock { $0.append(Thread.current.name) } }
            #expect(names.value == ["howdah-stream", "howdah-stream"])
            let latch = Latch()
            let container = store.container
            let task = Task { try await container.exportGraph { _ in latch.wait() } }
            try await latch.untilWaiting(1)
            latch.open()
            _ = try await task.value
        }
    }

    #if os(Linux)
    @Test func threadsOfClosuresEnd() async throws {
        /// Other tests may have some, too.
        func threads() throws -> Int {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            return tasks.count { task in
                let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                return name?.hasPrefix("howdah-stream") == true
            }
        }
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            for _ in 0..<60 { try await store.container.exportGraph { _ in } }
            while try threads() > 30 { try await Task.sleep(for: .milliseconds(10)) }
        }
    }
    #endif

    private enum Local {
        @TaskLocal static var value = 0
    }
}
