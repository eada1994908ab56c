import Foundation
import Synchronization

/// A thread that does nothing but sleep, and so tells when the machine let this process wait: others compile, or link.
final class StallWatch: Sendable {
    private static let step = Duration.milliseconds(20)
    /// Less is the normal waiting of a busy machine.
    private static let least = Duration.milliseconds(200)

    private let stalls = Mutex<[(end: ContinuousClock.Instant, length: Duration)]>([])

    init() {
        let thread = Thread { [weak self] in
            var last = ContinuousClock.now
            while true {
                Thread.sleep(forTimeInterval: Self.step / .seconds(1))
                guard let self else { return }
                let now = ContinuousClock.now
                let length = last.duration(to: now) - Self.step
                if length > Self.least { self.stalls.withLock { $0.append((now, length)) } }
                last = now
            }
        }
        thread.start()
    }

    /// How long the process stood still since then.
    func since(_ start: ContinuousClock.Instant) -> Duration {
        stalls.withLock { stalls in
            stalls.reversed().prefix { $0.end > start }.reduce(.zero) { sum, stall in
                sum + min(stall.length, start.duration(to: stall.end))
            }
        }
    }

    /// The longest, to be told with the results.
    var longest: Duration { stalls.withLock { $0.map(\.length).max() ?? .zero } }
}
