import Synchronization

/// A value that bodies and tasks share; a class, because a mutex of its own cannot be captured by several closures.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func withLock<R: Sendable>(_ body: (inout Value) throws -> R) rethrows -> R {
        try state.withLock { value in try body(&value) }
    }
}
