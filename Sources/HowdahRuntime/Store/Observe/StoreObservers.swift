import PQClient

/// Several observers of one container, such as telemetry and counters of your own.
///
/// ```swift
/// options.observer = StoreObservers([StoreTelemetry(), RetryCounter()])
/// ```
public struct StoreObservers: StoreObserver {
    private let observers: [any StoreObserver]

    /// Creates an observer that passes each event to others, in their order. Those that are nil are left out.
    ///
    /// Without any, it is as if the container had no observer.
    public init(_ observers: [(any StoreObserver)?]) { self.observers = observers.compactMap(\.self) }

    /// Passes an event to each observer.
    public func observe(_ event: StoreEvent) {
        for observer in observers { observer.observe(event) }
    }
}

extension StoreObservers: PlacedObserver {
    package func listener(of place: StorePlace) -> (any StoreListener)? {
        let listeners = observers.compactMap { GuardedObserver.listener(for: $0, of: place) }
        return listeners.count > 1 ? JoinedListeners(listeners) : listeners.first
    }
}

/// The listeners of several observers.
private final class JoinedListeners: StoreListener {
    private let listeners: [any StoreListener]

    init(_ listeners: [any StoreListener]) { self.listeners = listeners }

    var mayBlock: Bool { listeners.contains(where: \.mayBlock) }

    func observe(_ event: StoreEvent) {
        for listener in listeners { listener.observe(event) }
    }

    func observe(_ statement: StatementEvent) {
        for listener in listeners { listener.observe(statement) }
    }

    func end() {
        for listener in listeners { listener.end() }
    }

    func begin(_ activity: StoreActivity) -> (any StoreSpan)? {
        var spans: [any StoreSpan] = []
        // The first listener begins last, so that its span is the current one for spans of the program.
        for listener in listeners.reversed() {
            // In those before, or the context of the last one would have no other.
            if let span = JoinedSpans(spans).run({ listener.begin(activity) }) { spans.append(span) }
        }
        return spans.count > 1 ? JoinedSpans(spans) : spans.first
    }
}

/// The spans that several listeners have of one activity.
private final class JoinedSpans: StoreSpan {
    private let spans: [any StoreSpan]

    init(_ spans: [any StoreSpan]) { self.spans = spans }

    func run<T>(_ body: () throws -> T) rethrows -> T { try run(spans[...], body) }

    private func run<T>(_ spans: ArraySlice<any StoreSpan>, _ body: () throws -> T) rethrows -> T {
        guard let first = spans.first else { return try body() }
        return try first.run { try run(spans.dropFirst(), body) }
    }

    func end(_ error: (any Error)?) {
        for span in spans.reversed() { span.end(error) }
    }
}
