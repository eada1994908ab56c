import Foundation
import Synchronization
import Testing

/// A thread that asks for one of Swift's threads each second, and reports on standard error if none comes for ten seconds.
///
/// On Linux, Swift has one thread per core for each priority. Tests that hold them hold up all other tests, which then
/// fail at a time limit. The report tells three causes apart: with little processor time, tests wait on these threads;
/// with much, they compute there; and if the process itself stood still, the machine was busy or suspended.
package final class SwiftThreadWatch: Sendable {
    /// The watch of this process.
    package static let shared = SwiftThreadWatch(
        asking: { answer in Task.detached { answer() } },
        report: { FileHandle.standardError.write(Data("\($0)\n".utf8)) })

    private let answered = Atomic<Int>(0)
    /// The names of the tests that have a database, and how often.
    private let tests = Mutex<[String: Int]>([:])

    /// A question without an answer so far.
    private struct Wait {
        var number = 0
        var start = ContinuousClock.now
        var processor = ThreadClock.ofProcess
        /// The time by which the watch itself came too late.
        var standstill = Duration.zero
        var isReported = false

        var length: Duration { start.duration(to: .now) }

        var text: String {
            let style = Duration.UnitsFormatStyle.units(
                allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1))
            let used = ThreadClock.ofProcess - processor
            return "\(length.formatted(style)), with \(used.formatted(style)) of processor time and "
                + "\(standstill.formatted(style)) in which the process stood still"
        }
    }

    /// Creates a watch, and starts its thread, which ends with the watch.
    ///
    /// - Parameters:
    ///   - step: The time between two questions.
    ///   - limit: The shortest wait to report.
    ///   - ask: Calls its argument on a Swift thread.
    package init(
        step: Duration = .seconds(1), limit: Duration = .seconds(10),
        asking ask: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        report: @escaping @Sendable (String) -> Void
    ) {
        let thread = Thread { [weak self] in
            var wait = Wait()
            while true {
                let before = ContinuousClock.now
                Thread.sleep(forTimeInterval: step / .seconds(1))
                guard let self else { return }
                wait.standstill += max(.zero, before.duration(to: .now) - step)
                if answered.load(ordering: .acquiring) == wait.number {
                    if wait.isReported { report("Swift's threads are there again after \(wait.text).") }
                    wait = Wait(number: wait.number + 1)
                    ask { [weak self, number = wait.number] in
                        self?.answered.store(number, ordering: .releasing)
                    }
                } else if !wait.isReported, wait.length >= limit {
                    wait.isReported = true
                    report("No Swift thread came for \(wait.text). Tests with a database: \(names).")
                }
            }
        }
        thread.name = "thread watch"
        thread.start()
    }

    private var names: String { tests.withLock { $0.keys.sorted().joined(separator: ", ") } }

    /// Runs `body`, in whose time reports name the current test.
    package nonisolated(nonsending) func naming<T>(_ body: () async throws -> T) async rethrows -> T {
        let name = Test.current?.name ?? "none"
        tests.withLock { $0[name, default: 0] += 1 }
        defer {
            tests.withLock { tests in
                let rest = tests[name, default: 1] - 1
                tests[name] = rest == 0 ? nil : rest
            }
        }
        return try await body()
    }
}
