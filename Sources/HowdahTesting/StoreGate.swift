/// Limits the number of temporary stores that are open at once.
///
/// Tests that run concurrently then do not use up the server's connections. The others wait in their order.
actor StoreGate {
    /// A Boolean value that indicates whether this task has passed the gate. A nested store must not wait for
    /// the outer one.
    @TaskLocal static var isInside = false

    private var free: Int
    private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var next = 0

    init(_ places: Int) { free = places }

    /// - Throws: `CancellationError` at once if the task is cancelled while it waits.
    func enter() async throws {
        if free > 0 {
            free -= 1
            return
        }
        next += 1
        let number = next
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting.append((number, $0)) }
        } onCancel: {
            Task { await cancel(number) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume() }
    }

    private func cancel(_ number: Int) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).continuation.resume(throwing: CancellationError())
    }
}
