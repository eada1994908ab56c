import Foundation
import Howdah
import Synchronization
import TestSupport
import Testing

/// A unit of work that does one step each time it is told to, so that a test decides how units interleave.
final class SteppedUnit: Sendable {
    typealias Step = @Sendable (ManagedObjectContext) throws -> Void

    /// The outcome of a step.
    enum Outcome: Equatable {
        case done
        /// It waits for another unit.
        case waiting
        case failed(String)
    }

    private struct Abandoned: Error {}

    private struct State {
        var steps: [Step?] = []
        var issued = 0
        var outcomes: [Outcome] = []
        var end: Outcome?
        /// The server's process of the unit, if it is one transaction.
        var process: String?

        var isBusy: Bool { end == nil && outcomes.count < issued }
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let sql: PlainSQL

    /// A unit that begins at once.
    ///
    /// - Parameter isolation: nil for a unit that is not one transaction.
    init(_ container: PersistentContainer, _ isolation: Isolation?, _ sql: PlainSQL) {
        self.sql = sql
        task.withLock { task in
            task = Task { [self] in
                do {
                    try await container.perform(isolation: isolation) { context in
                        while true {
                            self.wakeUp.wait()
                            guard let step = self.state.withLock({ $0.steps.removeFirst() }) else { break }
                            do {
                                if isolation != nil { try self.notesProcess(of: context) }
                                try step(context)
                                self.note(.done)
                            } catch {
                                self.note(.failed(Self.name(error)))
                                throw error
                            }
                        }
                    }
                    state.withLock { $0.end = .done }
                } catch is Abandoned {
                    state.withLock { $0.end = .failed("abandoned") }
                } catch {
                    state.withLock { $0.end = .failed(Self.name(error)) }
                }
            }
        }
    }

    private func note(_ outcome: Outcome) { state.withLock { $0.outcomes.append(outcome) } }

    private static func name(_ error: any Error) -> String {
        switch error {
        case let error as SaveError: error.code.description
        case let error as FetchError: error.code.description
        default: "\(type(of: error))"
        }
    }

    /// Asks for the process before the first step, whose snapshot is as old then.
    private func notesProcess(of context: ManagedObjectContext) throws {
        if state.withLock({ $0.process != nil }) { return }
        let process = try context.fetchRows(String.self, sql: "SELECT pg_backend_pid()::text").first
        state.withLock { $0.process = process }
    }

    /// Does a step; returns when it is done, or when the server says that it waits for another unit.
    @discardableResult
    func run(_ step: @escaping Step) async -> Outcome {
        let number = state.withLock { state in
            if state.end != nil { return -1 }
            state.steps.append(step)
            state.issued += 1
            return state.issued - 1
        }
        if number < 0 { return ending }
        wakeUp.signal()
        await settle()
        return state.withLock { state in
            state.outcomes.count > number ? state.outcomes[number] : state.end ?? .waiting
        }
    }

    /// Suspends until all steps are done, or the unit waits for another one. Slowness is neither.
    func settle() async {
        let end = ContinuousClock.now + .seconds(120)
        while .now < end {
            if !state.withLock(\.isBusy) { return }
            try? await Task.sleep(for: .milliseconds(5))
            if isBlocked { return }
        }
        Issue.record("A step neither ended nor waited for a lock in two minutes.")
    }

    /// A Boolean value that indicates whether the server has not yet granted a lock that the unit waits for.
    ///
    /// The lock table tells it: the activity shows a process as waiting until it has noticed that it goes on.
    private var isBlocked: Bool {
        guard let process = state.withLock(\.process) else { return false }
        return (try? sql.value("SELECT (pg_blocking_pids(\(process)) <> '{}')::text")) == "true"
    }

    /// Ends the unit, which commits it if it is a transaction.
    func commit() async -> Outcome {
        let isOver = state.withLock { state in
            if state.end == nil { state.steps.append(nil) }
            return state.end != nil
        }
        if !isOver { wakeUp.signal() }
        await task.withLock { $0 }?.value
        return ending
    }

    /// Ends the unit with an error, which rolls it back if it is a transaction.
    func abandon() async {
        await run { _ in throw Abandoned() }
        await task.withLock { $0 }?.value
    }

    /// The end of the unit; ``Outcome/waiting`` before.
    var ending: Outcome { state.withLock { $0.end ?? .waiting } }
}
