import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A context does one thing at a time, in the order it was asked, on as few threads as possible.
@Suite(.timeLimit(.minutes(60))) struct ContextQueueTests {
    @Test @MainActor func runsComeInTheOrderTheyWereAsked() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let latch = Latch()
            let order = Shared<[Int]>([])
            var tasks = [Task { @MainActor in try await handle.perform { _ in latch.wait() } }]
            try await latch.untilWaiting(1)
            // Tasks of the main actor start in order, so their runs are asked for in order.
            for number in 0..<50 {
                tasks.append(
                    Task { @MainActor in
                        try await handle.perform { _ in order.withLock { $0.append(number) } }
                    })
            }
            tasks.append(Task { @MainActor in latch.open() })
            for task in tasks { try await task.value }
            #expect(order.value == Array(0..<50))
        }
    }

    @Test func oneRunAtATime() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            let inside = Shared(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for _ in 0..<200 {
                            let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
                                #expect(
                                    inside.withLock {
                                        $0 += 1; return $0
                                    } == 1)
                                // Not atomic: a second thread inside would lose some.
                                try context.existingObject(with: id).visits += 1
                                inside.withLock { $0 -= 1 }
                            }
                            if task % 2 == 0 {
                                try await handle.perform(body)
                            } else {
                                try await onThread { try handle.performAndWait(body) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await handle.perform { try $0.existingObject(with: id).visits } == 1600)
        }
    }

    @Test func aRunInsideARunIsPartOfIt() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let same = try await handle.perform { outer in
                let identity = ObjectIdentifier(outer)
                return try handle.performAndWait { inner in
                    try handle.performAndWait { ObjectIdentifier($0) == identity }
                        && ObjectIdentifier(inner) == identity
                }
            }
            #expect(same)
            #expect(
                try await onThread {
                    try handle.performAndWait { _ in try handle.performAndWait { _ in true } }
                })
        }
    }

    @Test func fromOneContextToAnotherAndBack() async throws {
        try await CompanyStore.with { store in
            let first = store.container.newBackgroundContext()
            let second = store.container.newBackgroundContext()
            for _ in 0..<100 {
                let depth = try await first.perform { _ in
                    try second.performAndWait { _ in
                        try first.performAndWait { _ in try second.performAndWait { _ in 4 } }
                    }
                }
                #expect(depth == 4)
            }
        }
    }

    @Test func aWaiterRunsOnItsOwnThreadAndGetsItsTurn() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let isDone = Shared(false)
            let busy = (0..<4).map { _ in
                Task {
                    while !isDone.value { try await handle.perform { _ in usleep(100) } }
                }
            }
            for _ in 0..<50 {
                let isOwn = try await onThread {
                    let thread = ObjectIdentifier(Thread.current)
                    return try handle.performAndWait { _ in ObjectIdentifier(Thread.current) == thread }
                }
                #expect(isOwn)
            }
            isDone.withLock { $0 = true }
            for task in busy { try await task.value }
        }
    }

    /// The only worker waits for the parent, behind a job that no other thread could run.
    @Test func aJobBeforeAWaiterDoesNotNeedTheWaitersThread() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let parent = store.container.newBackgroundContext()
            let child = store.container.newBackgroundContext()
            let (latch, workerLatch) = (Latch(), Latch())
            let order = Shared<[String]>([])
            async let owner: Void = onThread { try parent.performAndWait { _ in latch.wait() } }
            try await latch.untilWaiting(1)
            // The child has the worker before the job, which takes its place after a second in any case.
            async let waiter: Void = child.perform { _ in
                order.withLock { $0.append("child") }
                workerLatch.wait()
                try parent.performAndWait { _ in order.withLock { $0.append("waiter") } }
            }
            try await workerLatch.untilWaiting(1)
            async let job: Void = parent.perform { _ in order.withLock { $0.append("job") } }
            try await Task.sleep(for: .milliseconds(100))
            workerLatch.open()
            try await Task.sleep(for: .milliseconds(100))
            latch.open()
            _ = try await (owner, job, waiter)
            #expect(order.value == ["child", "waiter", "job"])
        }
    }

    @Test func manyContextsAndOneParentMixedAtRandom() async throws {
        try await CompanyStore.with(connections: 4) { store in
            let parent = store.container.newBackgroundContext()
            let children = (0..<16).map { _ in store.container.newBackgroundContext() }
            let count = Shared(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, child) in children.enumerated() {
                    group.addTask {
                        for round in 0..<1000 {
                            switch (round + number) % 4 {
                            case 0: try await child.perform { _ in count.withLock { $0 += 1 } }
                            case 1:
                                try await child.perform { _ in
                                    try parent.performAndWait { _ in
                                        try child.performAndWait { _ in count.withLock { $0 += 1 } }
                                    }
                                }
                            case 2: try await parent.perform { _ in count.withLock { $0 += 1 } }
                            default: try child.performAndWait { _ in count.withLock { $0 += 1 } }
                            }
                        }
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        try await onThread {
                            for round in 0..<1000 {
                                try (round % 2 == 0 ? parent : children[round % 16]).performAndWait { _ in
                                    count.withLock { $0 += 1 }
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(count.value == 18_000)
        }
    }
}
