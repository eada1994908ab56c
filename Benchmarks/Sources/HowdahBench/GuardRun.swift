import Foundation
import Howdah

/// Runs that show what the library does to the rest of a program.
enum GuardRun {
    static func run(_ name: String, _ container: PersistentContainer, _ n: Int) async throws -> String {
        switch name {
        case "guard-heartbeat": return try await heartbeat(container, n)
        default: return try await mainActor(String(name.dropFirst("guard-".count)), container)
        }
    }

    /// The longest that a task had to wait for its turn while `n` bodies block threads.
    private static func heartbeat(_ container: PersistentContainer, _ n: Int) async throws -> String {
        let beats = Task.detached {
            var (worst, count) = (Duration.zero, 0)
            while !Task.isCancelled {
                let start = ContinuousClock.now
                try? await Task.sleep(for: .milliseconds(1))
                worst = max(worst, ContinuousClock.now - start)
                count += 1
            }
            return (worst, count)
        }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<n {
                group.addTask {
                    try await container.perform { context in
                        _ = try context.count(Department.self)
                        Thread.sleep(forTimeInterval: 0.1)
                    }
                }
            }
            try await group.waitForAll()
        }
        let duration = (ContinuousClock.now - start) / .seconds(1)
        beats.cancel()
        let (worst, count) = await beats.value
        return String(
            format:
                "heartbeat: %d bodies that each block for 0.1 s took %.2f s; of %d beats of 1 ms, the slowest took %.1f ms",
            n, duration, count, worst / .milliseconds(1))
    }

    /// The same workload from two callers: rows that went through the caller's executor would show.
    private static func mainActor(_ name: String, _ container: PersistentContainer) async throws -> String {
        var (anywhere, onMain) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            anywhere = min(anywhere, try await fromPool(name, container))
            onMain = min(onMain, try await fromMainActor(name, container))
        }
        return String(
            format: "%@: %.1f ms from a task, %.1f ms from the main actor", name, anywhere * 1000,
            onMain * 1000)
    }

    @concurrent private static func fromPool(_ name: String, _ container: PersistentContainer) async throws
        -> Double
    {
        try await wallClock(name, container)
    }

    @MainActor private static func fromMainActor(
        _ name: String, _ container: PersistentContainer
    ) async throws -> Double {
        try await wallClock(name, container)
    }

    /// Runs on its caller's executor.
    nonisolated(nonsending) private static func wallClock(
        _ name: String, _ container: PersistentContainer
    ) async throws -> Double {
        let start = ContinuousClock.now
        let outcome = try await TypedWorkload().run(name, container, 0)
        precondition(outcome.map { $0.sum > 0 } == true, "the workload read nothing")
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
