import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A run that lost a race begins again, on a clean context, as often as it was allowed.
@Suite(.timeLimit(.minutes(60))) struct RetryTests {
    @Test func noIncrementIsLost() async throws {
        let increments = TestTier.choose(quick: 100, all: 500, nightly: 500)
        try await CompanyStore.with(connections: 8) { store in
            let id = try await store.hire(1)[0]
            let container = store.container
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<increments {
                            try await container.perform(retrying: .conflicts(upTo: 1_000)) { context in
                                try context.existingObject(with: id).visits += 1
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await container.perform { try $0.existingObject(with: id).visits } == 8 * increments)
        }
    }

    /// Two on call, each of whom may leave as long as the other stays: the text-book write skew.
    private func leaveOnCall(_ isolation: Isolation, _ policy: RetryPolicy) async throws -> (
        left: Int, runs: Int
    ) {
        try await CompanyStore.with(connections: 2) { store in
            let ids = try await store.hire(2)
            let container = store.container
            try await container.perform { context in
                for employee in try context.fetch(Employee.self) { employee.visits = 1 }
                try context.save()
            }
            let bothHaveRead = Latch()
            let runs = Shared(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids {
                    group.addTask {
                        try await container.perform(isolation: isolation, retrying: policy) { context in
                            #expect(context.registeredObjectCount == 0 && !context.hasChanges)
                            let isFirst =
                                runs.withLock {
                                    $0 += 1; return $0
                                } <= 2
                            let onCall = try context.fetch(Employee.self).map(\.visits).reduce(0, +)
                            if isFirst { bothHaveRead.wait() }
                            guard onCall > 1 else { return }
                            try context.existingObject(with: id).visits = 0
                            try context.save()
                        }
                    }
                }
                group.addTask {
                    try await bothHaveRead.untilWaiting(2)
                    bothHaveRead.open()
                }
                try await group.waitForAll()
            }
            let left = try await container.perform { try $0.fetch(Employee.self).map(\.visits).reduce(0, +) }
            return (left, runs.value)
        }
    }

    @Test func serializableRunsSeeNoWriteSkew() async throws {
        let outcome = try await leaveOnCall(.serializable, .conflicts(upTo: 5))
        #expect(outcome == (1, 3))
    }

    /// The control: without serializable transactions the rows do not conflict, and nobody stays.
    @Test func otherRunsDo() async throws {
        let outcome = try await leaveOnCall(.repeatableRead, .conflicts(upTo: 5))
        #expect(outcome == (0, 2))
    }

    @Test func attemptsAreBounded() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let runs = Shared(0)
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 3)) { context in
                    runs.withLock { $0 += 1 }
                    #expect(context.registeredObjectCount == 0 && !context.hasChanges)
                    try context.existingObject(with: id).visits += 1
                    try store.execute(
                        "UPDATE employee SET \"_version\" = \"_version\" + 1, visits = visits + 1")
                    try context.save()
                }
            }
            #expect(error?.code == .conflict)
            #expect(error?.conflicts.first?.properties == ["visits"])
            #expect(runs.value == 3)
        }
    }

    @Test func otherErrorsAreNotTriedAgain() async throws {
        struct Refusal: Error {}
        try await CompanyStore.with { store in
            let runs = Shared(0)
            await #expect(throws: Refusal.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 3)) { _ in
                    runs.withLock { $0 += 1 }
                    throw Refusal()
                }
            }
            await #expect(throws: SaveError.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 3)) { context in
                    runs.withLock { $0 += 1 }
                    _ = Employee(context: context)
                    try context.save()
                }
            }
            #expect(runs.value == 2)
        }
    }

    @Test func aSerializationFailureIsASaveErrorWhereNobodyRetries() async throws {
        let error = await #expect(throws: SaveError.self) { try await leaveOnCall(.serializable, .never) }
        #expect(error?.code == .serializationFailure)
        #expect(error?.databaseError?.sqlState == SQLState.serializationFailure)
    }
}
