import Foundation
import Synchronization

/// The tokens that the saves of one container write to the store.
package final class SaveTokens: Sendable {
    /// The time for which a token is certain to be in the store.
    static let lifetime: TimeInterval = 86_400
    /// The number of saves after which one deletes old tokens, twice as many at a time.
    private static let purgeInterval = 64

    /// The quoted name of the table.
    let table: String
    private let given = Atomic(0)

    init(_ table: String) { self.table = table }

    /// Returns a token for one transaction.
    func next() -> SaveToken {
        let number = given.wrappingAdd(1, ordering: .relaxed).newValue
        return SaveToken(
            uuid: UUID(timeOrderedAt: .now), purges: number.isMultiple(of: Self.purgeInterval), table: table)
    }

    /// Returns the statement of a purge. It skips rows that another session deletes, so that it never waits.
    static func purge(_ table: String, cutoff place: Int) -> String {
        "DELETE FROM \(table) WHERE token = ANY(ARRAY(SELECT token FROM \(table) WHERE token < $\(place) "
            + "AND saved_at < pg_catalog.now() - interval '2 days' "
            + "ORDER BY token LIMIT \(purgeInterval * 2) FOR UPDATE SKIP LOCKED))"
    }
}
