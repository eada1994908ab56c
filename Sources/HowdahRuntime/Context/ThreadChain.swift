import Foundation

/// What this thread is in the middle of: the queues it owns, innermost last, and the connections it holds.
///
/// Knowing the queues makes `performAndWait` re-entrant, also child to parent to child; knowing the connections
/// keeps a nested unit of work from waiting for a connection that its own thread holds.
final class ThreadChain {
    var queues: [ContextQueue] = []
    var leases = 0

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            Unmanaged<ThreadChain>.fromOpaque(pointer).release()
            #else
            if let pointer { Unmanaged<ThreadChain>.fromOpaque(pointer).release() }
            #endif
        }
        return key
    }()

    /// The calling thread's chain.
    static var current: ThreadChain {
        if let pointer = pthread_getspecific(slot) {
            return Unmanaged<ThreadChain>.fromOpaque(pointer).takeUnretainedValue()
        }
        let chain = ThreadChain()
        pthread_setspecific(slot, Unmanaged.passRetained(chain).toOpaque())
        return chain
    }

    func owns(_ queue: ContextQueue) -> Bool { queues.contains { $0 === queue } }
}
