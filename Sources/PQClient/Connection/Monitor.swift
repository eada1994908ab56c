import Foundation

/// A value behind a mutex, with a condition variable for its changes.
///
/// `@unchecked Sendable` is sound: `value` is only used with the mutex held. The two pthread objects live at
/// addresses that never change until `deinit`.
final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        // Deadlines are instants of a monotonic clock; a step of the wall clock must not shorten them.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the mutex held.
    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Runs `body` with the mutex held and wakes one waiting thread.
    func signal<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        defer { pthread_cond_signal(condition) }
        return try withLock(body)
    }

    /// Runs `body` with the mutex held and wakes all waiting threads.
    func broadcast<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        defer { pthread_cond_broadcast(condition) }
        return try withLock(body)
    }

    /// Waits until `body` returns a value, and returns it. If `deadline` passes first, it returns nil.
    func wait<R>(until deadline: ContinuousClock.Instant?, _ body: (inout Value) -> R?) -> R? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            let remaining = ContinuousClock.now.duration(to: deadline)
            if remaining <= .zero { return nil }
            wait(atMost: remaining)
        }
    }

    private func wait(atMost duration: Duration) {
        let parts = min(duration, .seconds(86_400)).components
        var time = timespec()
        let nanoseconds = Int(parts.attoseconds / 1_000_000_000)
        #if canImport(Darwin)
        time.tv_sec = Int(parts.seconds)
        time.tv_nsec = nanoseconds
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        let sum = Int(time.tv_nsec) + nanoseconds
        time.tv_sec += Int(parts.seconds) + sum / 1_000_000_000
        time.tv_nsec = sum % 1_000_000_000
        pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
