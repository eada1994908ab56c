import Foundation

/// A value behind a lock for which many threads compete.
///
/// Not a `Mutex`: on Linux, one that is waited for is handed to the thread that waited longest, which must first run.
/// If threads take it for each unit of work, they then queue up for it, and wake each other instead of working. Nor a
/// `Monitor` of the client, whose generic methods are not specialised in this module.
///
/// `@unchecked Sendable` is sound: `value` is only used with the lock held, which has one address until `deinit`.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with the lock held.
    func locked<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
