import PQClient

/// A program's observer, which receives no events of the work that it does itself, nor of tasks that it starts.
///
/// Without this, an observer that uses its own container would observe that use, and so on without an end.
final class GuardedObserver: StoreListener {
    /// The observers that are being called, or whose call started the task. A task that outlives its container keeps
    /// them, so that no other one can have the same identity.
    @TaskLocal private static var running: [GuardedObserver] = []

    /// The number of observers whose calls this task is a part of.
    static var depth: Int { running.count }

    private let observer: any StoreObserver

    init(_ observer: any StoreObserver) { self.observer = observer }

    /// Returns the listener of an observer for one store; nil if the observer needs none.
    static func listener(for observer: any StoreObserver, of place: StorePlace) -> (any StoreListener)? {
        guard let placed = observer as? any PlacedObserver else { return GuardedObserver(observer) }
        return placed.listener(of: place)
    }

    /// Its own work waits for no thread: all of them may wait for it.
    var mayBlock: Bool { !isRunning }

    private var isRunning: Bool { Self.running.contains { $0 === self } }

    func observe(_ event: StoreEvent) {
        if isRunning { return }
        // What the observer saves is no part of the unit on whose thread it is called, and has no limits of that one.
        let chain = ThreadChain.current
        let (scope, stored) = (chain.scope, chain.stored)
        chain.scope = ThreadChain.Scope()
        defer { (chain.scope, chain.stored) = (scope, stored) }
        Self.$running.withValue(Self.running + [self]) { observer.observe(event) }
    }
}
