import Foundation
import SeededRandom
import Testing

@testable import PQClient

@Suite struct WorkerPoolTests {
    private final class Work: PoolWork {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func run() { body() }
    }

    /// What the work of one test records.
    private final class Ledger: Sendable {
        struct Entries {
            var running = 0
            var mostRunning = 0
            var order: [Int] = []
        }
        let entries = Monitor(Entries())

        func begin(_ number: Int) {
            entries.withLock {
                $0.running += 1
                $0.mostRunning = max($0.mostRunning, $0.running)
                $0.order.append(number)
            }
        }

        func end() { entries.broadcast { $0.running -= 1 } }

        func wait(for count: Int) -> Bool {
            entries.wait(until: .now + .seconds(300)) {
                $0.order.count == count && $0.running == 0 ? true : nil
            }
                ?? false
        }
    }

    private func waitFor(_ ledger: Ledger, _ count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: ledger.wait(for: count)) }
        }
    }

    @Test func concurrencyIsBoundedAndReached() async {
        let pool = WorkerPool(maximumThreads: 3, name: "test")
        let ledger = Ledger()
        for number in 0..<60 {
            pool.enqueue(
                Work {
                    ledger.begin(number)
                    usleep(2000)
                    ledger.end()
                })
        }
        #expect(await waitFor(ledger, 60))
        #expect(ledger.entries.withLock { $0.mostRunning } == 3)
        #expect(ledger.entries.withLock { $0.order.sorted() } == Array(0..<60))
    }

    @Test func oneThreadKeepsTheOrderAndSleepsBetween() async {
        let pool = WorkerPool(maximumThreads: 1, name: "test")
        let ledger = Ledger()
        for round in 0..<20 {
            for number in 0..<50 {
                pool.enqueue(
                    Work {
                        ledger.begin(round * 50 + number)
                        ledger.end()
                    })
            }
            #expect(await waitFor(ledger, (round + 1) * 50))
        }
        #expect(ledger.entries.withLock { $0.order } == Array(0..<1000))
        #expect(ledger.entries.withLock { $0.mostRunning } == 1)
    }

    @Test func noWorkIsLostAtShutdown() async {
        let ledger = Ledger()
        var pool: WorkerPool? = WorkerPool(maximumThreads: 2, name: "test")
        for number in 0..<40 {
            pool?.enqueue(
                Work {
                    ledger.begin(number)
                    usleep(500)
                    ledger.end()
                })
        }
        pool?.shutdown()
        pool?.enqueue(
            Work {
                ledger.begin(40)
                ledger.end()
            })
        pool = nil
        #expect(await waitFor(ledger, 41))
    }

    @Test func fifoKeepsTheOrderUnderRandomUse() {
        var random = SeededGenerator(seed: 0x5EED_0006)
        var queue = _FIFO<Int>()
        var model: [Int] = []
        for step in 0..<2000 {
            if Bool.random(using: &random) {
                queue.append(step)
                model.append(step)
            } else {
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
    }
}
