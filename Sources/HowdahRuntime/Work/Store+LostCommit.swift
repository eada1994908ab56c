import Foundation
import PQClient

extension Store {
    /// The time for the search of a lost COMMIT after the unit's deadline or cancellation.
    private static let lateSearch: Duration = .milliseconds(1500)
    private static let shortestSearch: Duration = .milliseconds(500)

    /// Returns a Boolean value that indicates whether a transaction was stored whose COMMIT got no answer.
    ///
    /// - Parameter deadline: The unit's own deadline. The search continues for 1.5 seconds after it, or after
    ///   a cancellation.
    /// - Throws: `SaveError` with `outcomeUnknown` without a token, or if the query fails.
    func wasStored(
        _ token: UUID?, backend: Int32?, deadline: ContinuousClock.Instant?, after error: PostgresError?
    ) throws -> Bool {
        guard let token, let tokens else {
            throw SaveError(
                .outcomeUnknown,
                "The connection was lost during COMMIT. Fetch the objects to find out if they were saved. Set "
                    + "StoreOptions.resolvesLostCommits so that the library finds this out.",
                databaseError: error)
        }
        let relay = ThreadChain.current.scope.relay
        let start = ContinuousClock.now
        let commit = LostCommit(
            token: token, table: tokens.table, backend: backend, configuration: pool.configuration,
            observer: log.observer, relay: relay,
            end: { [connectionWait = settings.connectionWait] in
                let limit = [deadline, relay?.cancelled].compactMap { $0.map { $0 + Self.lateSearch } }.min()
                let end = start + connectionWait
                return min(limit.map { max($0, start + Self.shortestSearch) } ?? end, end)
            })
        guard let isStored = commit.isStored() else {
            throw SaveError(
                .outcomeUnknown,
                "The connection was lost during COMMIT, and the server did not answer whether it was committed. Call "
                    + "PersistentContainer.wasStored(_:) with the error's token later.", databaseError: error,
                token: token)
        }
        return isStored
    }

    /// Returns the error of a transaction that was not stored.
    static func notCommitted(_ error: PostgresError) -> SaveError {
        var error = error
        error.mayHaveCommitted = false
        return SaveError(
            .notCommitted,
            "The connection was lost before COMMIT took effect. Nothing was saved. Run the unit of work again.",
            databaseError: error)
    }
}
