import PQClient
import Synchronization

/// The counts of a container's work since `start()`, for a report.
public final class StoreStatistics: Sendable {
    private struct State {
        var report = StoreReport()
        var sites: [String: StoreReport.Site] = [:]
        var relationships: [String: StoreReport.CohortLoad] = [:]
        /// The slow statements by the hash values of their texts, because texts can be long.
        var slow: [Int: StoreReport.SlowStatement] = [:]
        var began = ContinuousClock.now
    }

    /// The number of call sites, relationships and slow texts that are listed by themselves.
    private static let limit = 500
    /// The number of bytes of a slow text that are kept.
    private static let textLimit = 4_000
    private static let defaultSlowness: Duration = .milliseconds(500)

    private let slowness: Duration
    private let isCollecting = Atomic<Bool>(false)
    private let state = Mutex(State())

    init(slowerThan slow: Duration?) { slowness = slow ?? Self.defaultSlowness }

    /// A Boolean value that indicates whether the container collects.
    var isOn: Bool { isCollecting.load(ordering: .relaxed) }

    /// Begins to collect, with empty counts.
    public func start() {
        state.withLock { $0 = State() }
        isCollecting.store(true, ordering: .relaxed)
    }

    /// Stops collecting. The report stays as it is.
    public func stop() {
        guard isCollecting.exchange(false, ordering: .relaxed) else { return }
        state.withLock { $0.report.duration = ContinuousClock.now - $0.began }
    }

    /// The counts since ``start()``.
    public var report: StoreReport {
        state.withLock { state in
            var report = state.report
            if isOn { report.duration = ContinuousClock.now - state.began }
            report.sites = state.sites.values.sorted { ($1.time, $0.name) < ($0.time, $1.name) }
            report.cohortLoads = state.relationships.values.sorted {
                ($1.steps, $0.name) < ($0.steps, $1.name)
            }
            report.slowStatements = state.slow.values.sorted {
                ($1.longestTime, $0.text) < ($0.longestTime, $1.text)
            }
            return report
        }
    }

    /// Counts an event.
    func observe(_ event: StoreEvent) {
        guard isOn else { return }
        state.withLock { state in
            switch event {
            case .statement(let statement): Self.count(statement, in: &state, slowness)
            case .cohortStep(let step): Self.count(step, in: &state)
            case .unitOfWork(let unit):
                state.report.unitsOfWork += 1
                state.report.queueTime += unit.queueTime
                if unit.error != nil { state.report.failedUnitsOfWork += 1 }
            case .save(let save):
                state.report.saves += 1
                if save.error != nil { state.report.failedSaves += 1 }
            case .conflict(let conflict): state.report.conflicts += conflict.count
            case .retry: state.report.retries += 1
            case .poolWait, .connectionUse, .connectionOpened, .migration, .history, .changesNotFollowed:
                break
            }
        }
    }

    private static func count(
        _ statement: StoreEvent.StatementReport, in state: inout State, _ slowness: Duration
    ) {
        state.report.statements += statement.texts.count
        state.report.roundTrips += 1
        state.report.statementTime += statement.duration
        let site = name(of: statement.tag, in: state)
        state.sites[site, default: .init(name: site)].add(statement)
        guard statement.duration >= slowness else { return }
        let whole = statement.text
        let key = whole.hashValue
        if state.slow[key] == nil, state.slow.count >= limit {
            // The slowest ones are kept.
            guard let fastest = state.slow.min(by: { $0.value.longestTime < $1.value.longestTime }),
                fastest.value.longestTime < statement.duration
            else { return }
            state.slow[fastest.key] = nil
        }
        state.slow[key, default: .init(text: beginning(of: whole))].add(statement.duration)
    }

    /// Returns the part of a text that is kept.
    private static func beginning(of text: String) -> String {
        guard text.utf8.count > textLimit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: textLimit)
        // Not at a character, which can have any number of scalars.
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + " …"
    }

    private static func count(_ step: StoreEvent.CohortStepReport, in state: inout State) {
        state.report.cohortSteps += 1
        let site = name(of: step.tag, in: state)
        state.sites[site, default: .init(name: site)].cohortSteps += 1
        let name = [step.entityName, step.relationshipName].compactMap(\.self).joined(separator: ".")
        state.relationships[name, default: .init(name: name)].add(step)
    }

    /// Returns the site to count for; tags that differ from call to call are counted together at some time.
    private static func name(of tag: String?, in state: State) -> String {
        guard let tag else { return StoreReport.Site.untagged }
        return state.sites[tag] != nil || state.sites.count < limit ? tag : StoreReport.Site.others
    }
}
