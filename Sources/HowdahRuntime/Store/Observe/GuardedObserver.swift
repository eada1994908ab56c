import PQClient

/// A program's observer, which receives no events of the work that it does itself.
///
/// Without this, an observer that uses its own container would observe that use, and so on without an end.
final class GuardedObserver: StoreListener {
    /// The observers that a thread is calling.
    private final class Running {
        var observers: [ObjectIdentifier] = []
    }

    private static let running = ThreadSpecific { Running() }

    private let observer: any StoreObserver

    init(_ observer: any StoreObserver) { self.observer = observer }

    /// Returns the listener of an observer for one store; nil if the observer needs none.
    static func listener(for observer: any StoreObserver, of place: StorePlace) -> (any StoreListener)? {
        guard let placed = observer as? any PlacedObserver else { return GuardedObserver(observer) }
        return placed.listener(of: place)
    }

    func observe(_ event: StoreEvent) {
        let running = Self.running.current
        guard !running.observers.contains(ObjectIdentifier(self)) else { return }
        running.observers.append(ObjectIdentifier(self))
        defer { running.observers.removeLast() }
        observer.observe(event)
    }
}
