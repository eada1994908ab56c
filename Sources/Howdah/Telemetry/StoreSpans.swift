#if Server || All || Telemetry
import HowdahRuntime
import PQClient
import Tracing

/// The spans of a container: units of work, the saves in them, and the statements in these.
final class StoreSpans: Sendable {
    /// The span of the innermost unit of work or save, which gets events; one for each container and tracer.
    @TaskLocal fileprivate static var current: [WorkSpan] = []

    private let tracer: any Tracer
    private let place: StorePlace

    /// The number of the telemetry that has the tracer.
    private let number: Int

    init(tracer: any Tracer, number: Int, place: StorePlace) {
        self.tracer = tracer
        self.number = number
        self.place = place
    }

    /// Returns a Boolean value that indicates whether the spans are of one tracer. It can be a value without identity.
    private func isOfTracer(of other: StoreSpans) -> Bool {
        if number == other.number { return true }
        guard type(of: tracer) is AnyClass, type(of: other.tracer) is AnyClass else { return false }
        return (tracer as AnyObject) === (other.tracer as AnyObject)
    }

    /// The context in which a span begins.
    ///
    /// Tracers of one kind keep their spans under one key. Each continues from its own work, and not from what another one
    /// has made current.
    private var context: ServiceContext {
        let works = Self.current
        let other = works.first { type(of: $0.owner.tracer) == type(of: tracer) && !isOfTracer(of: $0.owner) }
        guard let other else { return .current ?? .topLevel }
        return works.last { isOfTracer(of: $0.owner) }?.span.context ?? other.outer
    }

    func begin(_ activity: StoreActivity) -> any StoreSpan {
        let (context, name) = (context, activity.spanName)
        let span = tracer.startSpan(name, context: context, ofKind: .internal)
        let enclosing = Self.current.first { type(of: $0.owner.tracer) == type(of: tracer) }
        switch activity {
        case .unitOfWork(let isolation): span.attributes["howdah.isolation"] = isolation
        case .evaluation(let entityName): span.attributes["howdah.entity"] = entityName
        case .save, .migration: break
        }
        return WorkSpan(span, in: enclosing?.outer ?? context, of: self)
    }

    func observe(_ event: StoreEvent) {
        switch event {
        case .statement(let statement): record(statement)
        case .conflict(let conflict):
            add(
                "conflict",
                [
                    "howdah.entity": conflict.entityName, "error.type": conflict.code.description,
                    "howdah.resolved": conflict.isResolved ? "true" : "false",
                ])
        case .retry(let retry):
            add("retry", ["howdah.work": retry.work.rawValue, "error.type": retry.error.telemetryType])
        case .cohortStep(let step):
            add(
                "cohort step",
                ["howdah.entity": step.entityName, "howdah.relationship": step.relationshipName])
        default: break
        }
    }

    private func add(_ name: String, _ texts: [String: String?]) {
        guard let span = Self.current.first(where: { $0.owner === self })?.span else { return }
        var attributes = SpanAttributes()
        for case (let name, let text?) in texts { attributes[name] = text }
        span.addEvent(SpanEvent(name: name, attributes: attributes))
    }

    /// Records a statement that has ended, with its own beginning.
    func record(_ statement: StoreEvent.StatementReport) {
        let end = DefaultTracerClock.now.nanosecondsSinceEpoch
        let length = UInt64(clamping: statement.duration.nanoseconds)
        // Statements without an operation are named as OpenTelemetry's conventions say.
        let name = statement.operation == nil ? place.namespace : statement.summary
        let span = tracer.startSpan(
            name, context: context, ofKind: .client,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end - min(end, length)))
        // The texts of a span that is not sampled are not joined.
        if span.isRecording { span.updateAttributes { setAttributes(of: statement, in: &$0) } }
        if statement.error != nil { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }

    private func setAttributes(
        of statement: StoreEvent.StatementReport, in attributes: inout SpanAttributes
    ) {
        attributes["db.system.name"] = "postgresql"
        attributes["db.namespace"] = place.namespace
        if statement.operation != nil { attributes["db.query.summary"] = statement.summary }
        attributes["db.query.text"] = statement.text
        if let name = statement.rowsName { attributes[name] = statement.rows }
        if let operation = statement.operation { attributes["db.operation.name"] = operation }
        if let collection = statement.collection { attributes["db.collection.name"] = collection }
        if let size = statement.batchSize { attributes["db.operation.batch.size"] = size }
        if let host = place.host { attributes["server.address"] = host }
        if let port = place.port { attributes["server.port"] = port }
        if let tag = statement.tag { attributes.setPlace(of: tag) }
        guard let error = statement.error else { return }
        attributes["error.type"] = error.telemetryType
        if let state = error.sqlState { attributes["db.response.status_code"] = state }
    }
}

/// The span of work with statements.
private final class WorkSpan: StoreSpan {
    fileprivate let span: any Span
    /// The context without the spans of work by tracers of this kind.
    fileprivate let outer: ServiceContext
    fileprivate let owner: StoreSpans

    init(_ span: any Span, in outer: ServiceContext, of owner: StoreSpans) {
        (self.span, self.outer, self.owner) = (span, outer, owner)
    }

    func run<T>(_ body: () throws -> T) rethrows -> T {
        try ServiceContext.withValue(span.context) {
            let others = StoreSpans.current.filter { $0.owner !== owner }
            return try StoreSpans.$current.withValue(others + [self]) { try body() }
        }
    }

    func end(_ error: (any Error)?) {
        if let error {
            // The description of a program's own error may have values.
            span.attributes["error.type"] = error.telemetryType
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}

extension StoreActivity {
    fileprivate var spanName: String {
        switch self {
        case .unitOfWork: "perform"
        case .save: "save"
        case .migration: "migrate"
        case .evaluation: "evaluate"
        }
    }
}

extension SpanAttributes {
    /// Adds the line and the label of `tagged(_:)`.
    fileprivate mutating func setPlace(of tag: String) {
        let words = tag.split(separator: " ")
        guard let place = words.last, let colon = place.lastIndex(of: ":") else { return }
        self["code.file.path"] = String(place[..<colon])
        if let line = Int(place[place.index(after: colon)...]) { self["code.line.number"] = line }
        let label = words.dropLast().joined(separator: " ")
        if !label.isEmpty { self["howdah.tag"] = label }
    }
}
#endif
