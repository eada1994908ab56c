import Foundation
import Howdah
import PQClient
import TestSupport

/// One of the tasks of a soak: chooses actions and limits by its seed, runs them, and keeps the ledger.
struct SoakWorker: Sendable {
    let container: PersistentContainer
    let handles: [BackgroundContext]
    let ledger: SoakLedger
    var generator: SeededGenerator

    /// Runs units until the time is over.
    nonisolated(nonsending) mutating func run(until end: ContinuousClock.Instant) async {
        while ContinuousClock.now < end {
            let action = SoakAction.random(using: &generator, handles: handles.count)
            let limit = SoakLimit.random(using: &generator, for: action)
            await run(action, limit)
        }
    }

    private nonisolated(nonsending) func run(_ action: SoakAction, _ limit: SoakLimit) async {
        let token = UUID()
        let unit = SoakUnit(
            container: container, handles: handles, action: action, timeout: limit.timeout, token: token)
        ledger.begin(token, "\(action) with limit \(limit)", within: limit.duration)
        let saved = Once()
        let task = Task { try await unit.run(saved) }
        var cancelling: Task<Void, any Error>?
        if case .cancellation(let duration) = limit {
            cancelling = Task {
                try await Task.sleep(for: duration)
                task.cancel()
            }
        }
        let result = await task.result
        cancelling?.cancel()
        let (claim, outcome) = Self.claim(result, hasSaved: !saved.take())
        ledger.end(token, claiming: claim, of: action.entries, outcome)
    }

    /// What an outcome says of the store.
    ///
    /// - Parameter hasSaved: whether a save that stands alone has returned, so that a later error says nothing of it.
    private static func claim(_ result: Result<Void, any Error>, hasSaved: Bool) -> (SoakLedger.Claim, String)
    {
        switch result {
        case .success: return (.stored, "success")
        case .failure(let error):
            let (name, databaseError): (String, PostgresError?) =
                switch error {
                case let error as SaveError: ("SaveError.\(error.code)", error.databaseError)
                case let error as FetchError: ("FetchError.\(error.code)", error.databaseError)
                case let error as StoreError: ("StoreError.\(error.code)", error.databaseError)
                case let error as PostgresError: ("PostgresError.\(error.code)", error)
                default: ("\(type(of: error))", nil)
                }
            let outcome = databaseError.map { "\(name) (\($0.code), \($0.sqlState ?? "-"))" } ?? name
            if hasSaved { return (.stored, outcome) }
            let isUnknown =
                (error as? SaveError)?.code == .outcomeUnknown
                || !(error is SaveError) && databaseError?.mayHaveCommitted == true
            return (isUnknown ? .unknown : .nothing, outcome)
        }
    }
}
