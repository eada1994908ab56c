#if Server || All || Telemetry
public import CoreMetrics
public import HowdahRuntime
import PQClient
import Synchronization
public import Tracing

/// Metrics and spans of a container, by OpenTelemetry's conventions for databases.
///
/// Bootstrap your back ends, and then open the container:
///
/// ```swift
/// MetricsSystem.bootstrap(factory)
/// InstrumentationSystem.bootstrap(tracer)
/// var options = StoreOptions()
/// options.observer = StoreTelemetry()
/// let container = try await PersistentContainer.open(model: model, options: options)
/// ```
/// Names of operations and tables come from the code that renders the statements. Labels are tables,
/// operations, entities and codes, so their number is bounded. Values of the database are never in them.
public struct StoreTelemetry: StoreObserver {
    private let metrics: (any MetricsFactory)?
    private let tracer: (any Tracer)?
    private let hasConstantLabels: Bool
    /// The number by which tracers without identity differ; 0 for the one that was bootstrapped.
    private let number: Int

    private static let last = Atomic<Int>(0)

    /// Creates telemetry for the back ends that were bootstrapped; nil if there are none.
    ///
    /// With nil as the observer, a container spends nothing.
    ///
    /// - Parameter hasConstantLabels: True if all values of one metric must have the same labels, as some back ends
    ///   for Prometheus require. Labels that do not apply are then empty, which OpenTelemetry's conventions do not
    ///   permit.
    public init?(hasConstantLabels: Bool = false) {
        let factory = MetricsSystem.factory
        let tracer = InstrumentationSystem.tracer
        let metrics = factory is NOOPMetricsHandler ? nil : factory
        if metrics == nil, tracer is NoOpTracer { return nil }
        self.init(metrics, tracer is NoOpTracer ? nil : tracer, hasConstantLabels, number: 0)
    }

    /// Creates telemetry for some back ends.
    ///
    /// - Parameters:
    ///   - metrics: The factory of the instruments; nil for no metrics.
    ///   - tracer: The tracer of the spans; nil for no spans.
    ///   - hasConstantLabels: True if all values of one metric must have the same labels. Labels that do not apply are
    ///     then empty.
    public init(metrics: (any MetricsFactory)?, tracer: (any Tracer)?, hasConstantLabels: Bool = false) {
        self.init(metrics, tracer, hasConstantLabels, number: Self.last.add(1, ordering: .relaxed).newValue)
    }

    private init(
        _ metrics: (any MetricsFactory)?, _ tracer: (any Tracer)?, _ hasConstantLabels: Bool, number: Int
    ) {
        self.metrics = metrics
        self.tracer = tracer
        self.hasConstantLabels = hasConstantLabels
        self.number = number
    }

    /// Does nothing. Assign the telemetry itself, also in `StoreObservers`: each container makes an observer of it that
    /// knows its database, so forwarding events has no effect.
    public func observe(_ event: StoreEvent) {}
}

extension StoreTelemetry: PlacedObserver {
    package func listener(of place: StorePlace) -> (any StoreListener)? {
        if metrics == nil, tracer == nil { return nil }
        return TelemetryListener(
            spans: tracer.map { StoreSpans(tracer: $0, number: number, place: place) },
            instruments: metrics.map {
                StoreInstruments(factory: $0, place: place, hasConstantLabels: hasConstantLabels)
            })
    }
}

/// The telemetry of one container.
final class TelemetryListener: StoreListener {
    private let spans: StoreSpans?
    private let instruments: StoreInstruments?

    init(spans: StoreSpans?, instruments: StoreInstruments?) {
        self.spans = spans
        self.instruments = instruments
    }

    /// Spans need names and texts, and the time at which a statement ends.
    var meter: (any StoreMeter)? { spans == nil ? instruments : nil }

    func observe(_ event: StoreEvent) {
        instruments?.observe(event)
        spans?.observe(event)
    }

    func begin(_ activity: StoreActivity) -> (any StoreSpan)? { spans?.begin(activity) }

    func end() { instruments?.recordPool() }
}
#endif
