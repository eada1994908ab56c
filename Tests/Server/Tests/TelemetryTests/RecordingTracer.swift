import Synchronization
import Tracing

/// A tracer that records the starts and ends of its spans.
///
/// Two of them use one context without disturbing each other.
final class RecordingTracer: Tracer {
    private struct Key: ServiceContextKey {
        typealias Value = [ObjectIdentifier: Int]
    }

    struct Record {
        let name: String
        let parent: Int?
        var ends = 0
        /// The number of changes after the end.
        var lateChanges = 0
        var events: [String] = []
        var error: String?
    }

    private let recorded = Mutex<[Record]>([])

    var records: [Record] { recorded.withLock(\.self) }

    /// The names of spans that are open, were ended twice, or changed after their end.
    var faults: [String] {
        records.compactMap { record in
            if record.ends == 0 { return "open: \(record.name)" }
            if record.ends > 1 { return "ended twice: \(record.name)" }
            return record.lateChanges > 0 ? "changed after its end: \(record.name)" : nil
        }
    }

    func clear() { recorded.withLock { $0 = [] } }

    /// Returns the records of a name.
    func records(_ name: String) -> [Record] { records.filter { $0.name == name } }

    /// The name of a span's parent; nil if it has none.
    func parent(of record: Record) -> String? { record.parent.map { records[$0].name } }

    struct Span: Tracing.Span {
        fileprivate let tracer: RecordingTracer
        fileprivate let number: Int
        let context: ServiceContext

        fileprivate func change(_ body: (inout Record) -> Void) {
            tracer.recorded.withLock { records in
                if records[number].ends > 0 { records[number].lateChanges += 1 }
                body(&records[number])
            }
        }

        var operationName: String {
            get { tracer.records[number].name }
            nonmutating set { change { _ in } }
        }

        var attributes: SpanAttributes {
            get { [:] }
            nonmutating set {
                change { record in
                    if case .string(let type)? = newValue.get("error.type") { record.error = type }
                }
            }
        }

        var isRecording: Bool { true }

        func setStatus(_ status: SpanStatus) { change { _ in } }

        func addEvent(_ event: SpanEvent) { change { $0.events.append(event.name) } }

        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) { change { _ in } }

        func addLink(_ link: SpanLink) { change { _ in } }

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            tracer.recorded.withLock { $0[number].ends += 1 }
        }
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
        var context = context()
        let number = recorded.withLock { records in
            records.append(
                Record(name: operationName, parent: context[Key.self]?[ObjectIdentifier(self)]))
            return records.count - 1
        }
        var numbers = context[Key.self] ?? [:]
        numbers[ObjectIdentifier(self)] = number
        context[Key.self] = numbers
        return Span(tracer: self, number: number, context: context)
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
