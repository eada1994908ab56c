import Synchronization
import Tracing

/// A tracer that samples nothing, and counts the spans and their texts.
final class UnsampledTracer: Tracer {
    let spans = Atomic<Int>(0)
    let texts = Atomic<Int>(0)

    struct Span: Tracing.Span {
        let tracer: UnsampledTracer
        let context: ServiceContext

        var operationName: String {
            get { "" }
            nonmutating set {}
        }

        var attributes: SpanAttributes {
            get { [:] }
            nonmutating set {
                if newValue.get("db.query.text") != nil { tracer.texts.add(1, ordering: .relaxed) }
            }
        }

        var isRecording: Bool { false }

        func setStatus(_ status: SpanStatus) {}

        func addEvent(_ event: SpanEvent) {}

        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}

        func addLink(_ link: SpanLink) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
        spans.add(1, ordering: .relaxed)
        return Span(tracer: self, context: context())
    }

    func activeSpan(identifiedBy context: ServiceContext) -> Span? { nil }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}
