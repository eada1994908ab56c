internal import Foundation
internal import HowdahSchema
internal import PQClient
internal import Synchronization

/// What a rehearsal found until now, written by the thread that rehearses and read by the one that waits for it.
final class RehearsalNotes: Sendable {
    private struct State {
        var report = RehearsalReport()
        /// What it is at, as part of a sentence.
        var place = "before the first stage"
        var isHandler = false
        var isAbandoned = false
        var began = ContinuousClock.now
        var stageBegan = ContinuousClock.now
    }

    private let state = Mutex(State())
    // Called with the mutex held, by one thread at a time.
    private nonisolated(unsafe) let observer: MigrationObserver?

    init(_ observer: MigrationObserver?) { self.observer = observer }

    /// Passes an event on, unless nobody waits for the rehearsal any more.
    func tell(_ event: MigrationEvent) {
        state.withLock { if !$0.isAbandoned { observer?(event) } }
    }

    /// Begins anew: what an earlier try found was undone with it.
    func begin(stages: Int) {
        state.withLock {
            $0 = State()
            $0.report.stageCount = stages
        }
    }

    func begin(stage label: String) {
        state.withLock {
            $0.report.stages.append(RehearsalReport.Stage(label: label))
            $0.stageBegan = .now
            $0.place = "in \(Self.words($0.report)), locking its tables"
        }
    }

    /// - Parameter isHandler: Indicates whether the program's code runs in the step.
    func begin(step number: Int, isHandler: Bool = false) {
        state.withLock {
            $0.place = "in \(Self.words($0.report)), step \(number)"
            $0.isHandler = isHandler
        }
    }

    func begin(handler name: String) {
        state.withLock {
            $0.place = "in \(Self.words($0.report)), \(name) handler"
            $0.isHandler = true
        }
    }

    /// Adds to the stage that is under way.
    func note(_ body: (inout RehearsalReport.Stage) -> Void) {
        state.withLock {
            guard !$0.report.stages.isEmpty else { return }
            body(&$0.report.stages[$0.report.stages.count - 1])
            Self.time(&$0)
        }
    }

    /// Adds a step that is over to the stage that is under way.
    func note(_ step: MigrationStep, _ number: Int, _ rows: Int, since start: ContinuousClock.Instant) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        note {
            $0.steps.append(
                RehearsalReport.Step(
                    number: number, reason: step.reason, seconds: seconds, rows: rows, lock: step.lock,
                    execution: step.execution))
        }
    }

    /// - Parameter error: The error of the server, if that is the reason.
    func end(_ ending: String?, _ error: PostgresError? = nil) {
        state.withLock {
            Self.time(&$0)
            $0.report.ending = ending
            $0.report.sqlstate = error?.sqlState
            $0.report.fields = error?.fieldsWithoutValues
        }
    }

    /// Ends it where it did not end by itself, and says what it was at.
    func abandon(after budget: Duration) {
        state.withLock {
            Self.time(&$0)
            $0.isAbandoned = true
            $0.report.isAbandoned = true
            $0.report.ending =
                Self.lateness(budget, $0.place)
                + ($0.isHandler
                    ? ". The handler ignored the cancellation."
                    : ". The server did not answer the cancellation.")
                + " The session was closed, and the server rolls the rehearsal back. Rehearse again with a longer budget."
        }
    }

    /// Why it ended with its budget.
    func lateness(after budget: Duration) -> String { Self.lateness(budget, state.withLock(\.place)) }

    var report: RehearsalReport { state.withLock(\.report) }

    private static func lateness(_ budget: Duration, _ place: String) -> String {
        "cancelled after its budget of \(budget.inWords), \(place)"
    }

    private static func words(_ report: RehearsalReport) -> String {
        "stage \(report.stages.count) of \(report.stageCount)"
    }

    private static func time(_ state: inout State) {
        let now = ContinuousClock.now
        state.report.seconds = (now - state.began) / .seconds(1)
        guard !state.report.stages.isEmpty else { return }
        state.report.stages[state.report.stages.count - 1].seconds = (now - state.stageBegan) / .seconds(1)
    }
}
