import Foundation

/// A door that threads wait at until it is opened, and that knows how many do.
///
/// `@unchecked Sendable` is sound: the state is only touched with the condition's lock held.
final class Latch: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var waitingCount = 0

    var waiting: Int { condition.withLock { waitingCount } }

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    func wait() {
        condition.withLock {
            waitingCount += 1
            while !isOpen { condition.wait() }
            waitingCount -= 1
        }
    }

    /// Suspends until this many threads wait; a cancelled test lets them all go, or it could never end.
    func untilWaiting(_ count: Int) async throws {
        do {
            while waiting < count { try await Task.sleep(for: .milliseconds(1)) }
        } catch {
            open()
            throw error
        }
    }
}
