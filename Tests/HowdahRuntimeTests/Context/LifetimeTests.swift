import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Circles of relationships keep nothing alive once their context ended.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LifetimeTests {
    private static let runs = TestTier.choose(quick: 200, all: 2_500, nightly: 2_500)
    private static let rounds = TestTier.choose(quick: 20, all: 100, nightly: 100)

    private func withRing(_ body: (PersistentContainer) async throws -> Void) async throws {
        try await withTestStore(Ring.model()) { container in
            try await container.perform { context in
                let rings = (0..<3).map { number in
                    let ring = Ring(context: context)
                    ring.label = "\(number)"
                    return ring
                }
                for (number, ring) in rings.enumerated() {
                    ring.next = rings[(number + 1) % 3]
                    for other in rings { ring.friends.insert(other) }
                }
                try context.save()
            }
            container.statementLog.stop()
            #expect(Ring.alive.load(ordering: .relaxed) == 0)
            try await body(container)
        }
        #expect(Ring.alive.load(ordering: .relaxed) == 0)
    }

    /// Reads all of the circle in both directions.
    @Sendable private static func walk(_ context: ManagedObjectContext) throws -> Int {
        let rings = try context.fetch(Ring.self)
        var steps = 0
        for ring in rings {
            if ring.next?.followers.contains(ring) == true { steps += 1 }
            for follower in ring.followers where follower.next === ring { steps += 1 }
            for friend in ring.friends where friend.admirers.contains(ring) { steps += 1 }
        }
        return steps
    }

    @Test func manyRunsAtOnceLeaveNothingAlive() async throws {
        try await withRing { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<Self.runs {
                            let steps = try await container.perform(Self.walk)
                            #expect(steps == 15)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aResetLeavesNothingAlive() async throws {
        try await withRing { container in
            let handle = container.newBackgroundContext()
            for _ in 0..<Self.rounds {
                try await handle.perform { context in
                    try #expect(Self.walk(context) == 15)
                    let ring = Ring(context: context)
                    ring.next = ring
                    ring.friends.insert(ring)
                    context.reset()
                }
                #expect(Ring.alive.load(ordering: .relaxed) == 0)
            }
        }
    }

    @Test func aContextThatRetainsLeavesNothingAlive() async throws {
        try await withRing { container in
            for _ in 0..<20 {
                let handle = container.newBackgroundContext()
                try await handle.perform { context in
                    context.retainsRegisteredObjects = true
                    try #expect(Self.walk(context) == 15)
                }
                try await handle.perform { context in
                    #expect(Ring.alive.load(ordering: .relaxed) == 3)
                    context.delete(try context.fetch(Ring.self)[0])
                }
            }
        }
    }

    @Test func anEndedHandleLeavesNothingAlive() async throws {
        try await withRing { container in
            for _ in 0..<Self.rounds {
                let handle = container.newBackgroundContext()
                try await handle.perform { context in
                    try #expect(Self.walk(context) == 15)
                    let ring = Ring(context: context)
                    ring.next = try context.fetch(Ring.self)[0]
                }
            }
        }
    }

    @Test func unsavedAndFailedRunsLeaveNothingAlive() async throws {
        struct Refusal: Error {}
        try await withRing { container in
            for _ in 0..<Self.rounds {
                await #expect(throws: Refusal.self) {
                    try await container.perform(isolation: .readCommitted) { context in
                        let rings = try context.fetch(Ring.self)
                        let ring = Ring(context: context)
                        ring.label = "new"
                        ring.next = rings[0]
                        rings[0].next = ring
                        rings[1].friends.remove(rings[2])
                        try context.save()
                        context.delete(rings[2])
                        try context.save()
                        throw Refusal()
                    }
                }
            }
        }
    }

    @Test func whatTheProgramHoldsStaysReadableAfterAReset() async throws {
        try await withRing { container in
            try await container.newBackgroundContext().perform { context in
                let ring = try context.fetch(Ring.self, sortedBy: .key("label"))[0]
                #expect(ring.next != nil)
                context.reset()
                #expect(Ring.alive.load(ordering: .relaxed) == 1)
                #expect(ring.label == "0")
                #expect(ring.next == nil)
                #expect(Array(ring.followers).isEmpty)
                #expect(ring.managedObjectContext == nil)
            }
        }
    }
}
