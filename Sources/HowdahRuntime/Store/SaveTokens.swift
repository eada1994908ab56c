import Foundation
import Synchronization

/// The tokens that the saves of one container leave in the store.
package final class SaveTokens: Sendable {
    /// How long a token is sure to be in the store.
    static let lifetime: TimeInterval = 86_400
    /// Every so many saves one deletes old tokens, twice as many at a time.
    private static let purgeInterval = 64

    /// The quoted name of the table.
    let table: String
    private let given = Atomic(0)

    init(_ table: String) { self.table = table }

    /// A token for one transaction.
    func next() -> SaveToken {
        let number = given.wrappingAdd(1, ordering: .relaxed).newValue
        return SaveToken(
            uuid: UUID(timeOrderedAt: .now), purges: number.isMultiple(of: Self.purgeInterval), table: table)
    }

    /// The subquery's rows are skipped where somebody else deletes them: nobody waits for a purge.
    static func purge(_ table: String, cutoff place: Int) -> String {
        "DELETE FROM \(table) WHERE token = ANY(ARRAY(SELECT token FROM \(table) WHERE token < $\(place) "
            + "AND saved_at < pg_catalog.now() - interval '2 days' "
            + "ORDER BY token LIMIT \(purgeInterval * 2) FOR UPDATE SKIP LOCKED))"
    }
}
