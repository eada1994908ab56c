import Foundation

/// One object for each thread, created on its first access and released when the thread ends.
///
/// `@unchecked Sendable` is sound: each thread only reaches its own object.
final class ThreadSpecific<Value: AnyObject>: @unchecked Sendable {
    private let make: () -> Value
    private let key: pthread_key_t

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
            #else
            if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
            #endif
        }
        self.key = key
    }

    /// The calling thread's object.
    var current: Value {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
        }
        let value = make()
        pthread_setspecific(key, Unmanaged.passRetained(value).toOpaque())
        return value
    }
}
