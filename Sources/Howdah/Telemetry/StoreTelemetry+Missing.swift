#if !Server && !All && !Telemetry
public import HowdahRuntime

/// Stands for the type of the trait Telemetry, so that the compiler names the trait if it is missing.
@available(
    *, unavailable,
    message: "Add the trait Telemetry, or Server, to the dependency on howdah in your Package.swift."
)
public struct StoreTelemetry: StoreObserver {
    /// Unavailable.
    public init?(hasConstantLabels: Bool = false) { nil }

    /// Unavailable.
    public init(metrics: (any Sendable)?, tracer: (any Sendable)?, hasConstantLabels: Bool = false) {}

    /// Unavailable.
    public func observe(_ event: StoreEvent) {}
}
#endif
