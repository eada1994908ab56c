import Synchronization

/// True the first time.
final class Once: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
