import Foundation
import Testing

@testable import HowdahRuntime

/// Thousands of units of work wait for places, and their time is over one after the other.
@Suite(.timeLimit(.minutes(60))) struct LateWaitTests {
    @Test("Many waits end soon after their deadlines, and shorter ones before longer ones")
    func manyLateWaits() async {
        let queue = AdmissionQueue(places: 0)
        let count = 10_000
        let start = ContinuousClock.now
        let ended = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                // The later a unit comes, the sooner its time is over.
                let deadline = start + .seconds(3) + .microseconds((count - number) * 50)
                group.addTask {
                    let outcome = await queue.enter(until: deadline, CancellationRelay())
                    guard case .expired = outcome else { return false }
                    return ContinuousClock.now >= deadline
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(ended == count)
        #expect(start.duration(to: .now) < .seconds(30))
        #expect(queue.waiting == 0)
    }

    @Test("A short wait ends before a long one that began earlier, and the long one still ends")
    func shortAfterLong() async {
        let queue = AdmissionQueue(places: 0)
        let start = ContinuousClock.now
        async let long = queue.enter(until: start + .seconds(6), CancellationRelay())
        while queue.waiting == 0 { await Task.yield() }
        let short = await queue.enter(until: start + .milliseconds(200), CancellationRelay())
        guard case .expired = short else { return #expect(Bool(false), "\(short)") }
        #expect(queue.waiting == 1)
        guard case .expired = await long else { return #expect(Bool(false)) }
        #expect(start.duration(to: .now) >= .seconds(6))
    }
}
