/// Bounds how many temporary stores are open at once, so that tests that run side by side do not use up the
/// server's connections; those beyond wait in the order they came.
actor StoreGate {
    /// Whether this task has passed the gate already: a store inside a store must not wait for the outer one.
    @TaskLocal static var isInside = false

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ places: Int) { free = places }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
