import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// Idleness, closing and cancellation end a stream at once, also if its source or client ignores them.
@Suite(.timeLimit(.minutes(60))) struct StreamEndTests {
    private struct Stop: Error {}

    @Test func idleStreamsEnd() async throws {
        try await StreamStore.with(idle: .milliseconds(300)) { store in
            _ = try await store.company.hire(1)
            let idle = IdleStreams()
            let streams = idle.all(of: store.container)
            let tasks = streams.map { stream in Task { try await stream.run() } }
            for (stream, task) in zip(streams, tasks) {
                let error = await #expect(throws: StoreError.self, "\(stream.name)") { try await task.value }
                #expect(error?.code == .streamIdle, "\(stream.name)")
                #expect(error?.message.contains("for 0.3 seconds.") == true)
                #expect(error?.message.contains("set a longer StoreOptions.streamIdleTimeout.") == true)
                let isExport = stream.name.contains("export")
                #expect(error?.message.contains("Nothing was saved.") == !isExport)
            }
            let count1 = try await store.employees()
            #expect(count1 == 1)
            idle.release()
        }
    }

    @Test func aSlowSourceIsNotIdle() async throws {
        try await StreamStore.with(idle: .seconds(4)) { store in
            let rows = AsyncStream<[String: String]> { stream in
                Task {
                    for number in 0..<10 {
                        try await Task.sleep(for: .milliseconds(500))
                        stream.yield(["firstName": "\(number)"])
                    }
                    stream.finish()
                }
            }
            let result = try await store.container.insert(into: Employee.self, from: rows)
            #expect(result.count == 10)
        }
    }

    @Test func aTimeoutThatIsNotPositiveIsRefused() async throws {
        for timeout in [Duration.zero, .seconds(-1)] {
            var options = StoreOptions()
            options.streamIdleTimeout = timeout
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open("postgres://", model: Company.model(), options: options)
            }
            #expect(error?.code == .invalidOptions)
        }
    }

    @Test func closingEndsIdleStreams() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let idle = IdleStreams()
            let streams = idle.all(of: store.container)
            let tasks = streams.map { stream in Task { try await stream.run() } }
            try await store.untilRunning(tasks.count)
            let start = ContinuousClock.now
            await store.container.close(drainingFor: .seconds(60))
            for (stream, task) in zip(streams, tasks) {
                let error = await #expect(throws: StoreError.self, "\(stream.name)") { try await task.value }
                #expect(error?.code == .closed, "\(stream.name)")
            }
            #expect(start.duration(to: .now) < .seconds(2))
            // No stream begins afterwards.
            for stream in streams {
                let error = await #expect(throws: StoreError.self, "\(stream.name)") {
                    try await stream.run()
                }
                #expect(error?.code == .closed, "\(stream.name)")
            }
            let session = try store.company.session()
            defer { session.close() }
            #expect(try session.query("SELECT count(*) FROM employee").map { $0[0].int64 } == [1])
            idle.release()
        }
    }

    @Test func closingLetsACompleteStreamBeStored() async throws {
        try await StreamStore.with { store in
            let session = try store.company.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
            let container = store.container
            let rows = AsyncStream<[String: String]> { stream in
                stream.yield(["firstName": "Ada"])
                stream.finish()
            }
            let task = Task { try await container.insert(into: Employee.self, from: rows).count }
            try await store.company.untilBlocked()
            let closing = Task { await container.close(drainingFor: .seconds(60)) }
            try await Task.sleep(for: .milliseconds(50))
            try session.rollback()
            let count2 = try await task.value
            #expect(count2 == 1)
            await closing.value
        }
    }

    @Test func cancellationEndsStreamsThatIgnoreIt() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let idle = IdleStreams()
            let streams = idle.all(of: store.container)
            let tasks = streams.map { stream in Task { try await stream.run() } }
            try await store.untilRunning(tasks.count)
            let start = ContinuousClock.now
            for task in tasks { task.cancel() }
            for (stream, task) in zip(streams, tasks) {
                await #expect(throws: CancellationError.self, "\(stream.name)") { try await task.value }
            }
            #expect(start.duration(to: .now) < .seconds(2))
            // What the sources bring now is not taken.
            idle.release()
            try await Task.sleep(for: .milliseconds(50))
            let count3 = try await store.employees()
            #expect(count3 == 1)
            for stream in streams {
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await stream.run()
                }
                await #expect(throws: CancellationError.self, "\(stream.name)") { try await task.value }
            }
        }
    }

    @Test func errorsOfTheOtherSideAreThrown() async throws {
        try await StreamStore.with { store in
            _ = try await store.company.hire(1)
            let container = store.container
            let rows = AsyncThrowingStream<[String: String], any Error> { stream in
                for _ in 0..<100 { stream.yield(["firstName": "Never"]) }
                stream.finish(throwing: Stop())
            }
            await #expect(throws: Stop.self) { try await container.insert(into: Employee.self, from: rows) }
            await #expect(throws: Stop.self) { try await container.importGraph { throw Stop() } }
            let pieces = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Stop()) }
            await #expect(throws: Stop.self) { try await container.importGraph(from: pieces) }
            await #expect(throws: Stop.self) { try await container.exportGraph { _ in throw Stop() } }
            await #expect(throws: Stop.self) {
                try await container.exportGraph { _ in
                    try await Task.sleep(for: .milliseconds(1))
                    throw Stop()
                }
            }
            let count4 = try await store.employees()
            #expect(count4 == 1)
        }
    }

    /// A request that cannot be right does not wait for rows.
    @Test func aWrongRequestFailsBeforeTheFirstRow() async throws {
        try await StreamStore.with { store in
            let pause = Pause()
            let rows = SilentSource<[String: String]>(elements: [], pause: pause)
            let error = await #expect(throws: FetchError.self) {
                try await store.container.insert(into: ManagedObject.self, entityName: "None", from: rows)
            }
            #expect(error?.code == .unknownEntity)
            pause.end()
        }
    }
}
