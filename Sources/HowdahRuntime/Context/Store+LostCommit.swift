import Foundation
import PQClient

extension Store {
    /// How long a lost COMMIT is looked for at least, also after the unit's deadline.
    private static let shortestSearch: Duration = .seconds(5)

    /// Whether a transaction was stored whose COMMIT got no answer.
    ///
    /// - Parameter deadline: the unit's own; the search goes on for up to 5 seconds after it.
    /// - Throws: `SaveError` with `outcomeUnknown` where there is no token, or the server cannot be asked.
    func wasStored(
        _ token: UUID?, backend: Int32?, deadline: ContinuousClock.Instant?, after error: PostgresError?
    ) throws -> Bool {
        guard let token, let tokens else {
            throw SaveError(
                .outcomeUnknown,
                "The connection broke during the COMMIT; fetch the objects to see whether they were stored, and set "
                    + "StoreOptions.resolvesLostCommits to have this found out.", underlying: error)
        }
        let commit = LostCommit(
            token: token, table: tokens.table, backend: backend, configuration: pool.configuration,
            observer: log.observer)
        let rest = deadline.map { max(ContinuousClock.now.duration(to: $0), Self.shortestSearch) }
        let patience = min(rest ?? settings.connectionWait, settings.connectionWait)
        guard let isStored = commit.isStored(until: .now + patience) else {
            throw SaveError(
                .outcomeUnknown,
                "The connection broke during the COMMIT, and the server could not be asked for the outcome; ask "
                    + "PersistentContainer.wasStored(_:) with the error's token later.", underlying: error,
                token: token)
        }
        return isStored
    }

    /// The error of a transaction that turned out not to be stored.
    static func notCommitted(_ error: PostgresError) -> SaveError {
        var error = error
        error.mayHaveCommitted = false
        return SaveError(
            .notCommitted,
            "The connection broke before the COMMIT took effect; nothing was stored, run it again",
            underlying: error)
    }
}
