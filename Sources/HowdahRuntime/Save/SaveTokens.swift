import Foundation
import HowdahModel
import PQClient
import Synchronization

/// The tokens that the saves of one container leave in the store.
final class SaveTokens: Sendable {
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

/// The token of one transaction, and the statements that leave it in the store.
struct SaveToken: Sendable {
    let uuid: UUID
    /// Whether this transaction also deletes old tokens.
    let purges: Bool
    let table: String

    /// Leaves the token.
    ///
    /// - Parameter mayPurge: false where deleting what others delete too is an error, as it is above READ COMMITTED.
    func insertion(mayPurge: Bool = true) -> SaveStatement {
        var parameters = Parameters()
        let insertion = insertion("VALUES", &parameters)
        guard purges, mayPurge else { return SaveStatement(insertion, parameters) }
        return SaveStatement("WITH old AS (\(purge(&parameters))) \(insertion)", parameters)
    }

    /// The same statement, leaving the token if and only if it touches a row.
    ///
    /// A statement alone commits before anybody sees whether its row was in the expected version, so that the
    /// token must not be there where it was not.
    func guarding(_ statement: SaveStatement) -> SaveStatement {
        var parameters = statement.parameters
        let returning = statement.readBack == nil ? " RETURNING 1" : ""
        var parts = [
            "saved AS (\(statement.sql)\(returning))",
            "token AS (\(insertion("SELECT", &parameters)) FROM saved LIMIT 1)",
        ]
        if purges { parts.append("old AS (\(purge(&parameters)))") }
        return SaveStatement(
            "WITH \(parts.joined(separator: ", ")) SELECT * FROM saved", parameters,
            guarded: statement.guarded,
            readBack: statement.readBack)
    }

    private func insertion(_ source: String, _ parameters: inout Parameters) -> String {
        let uuid = uuid
        parameters.append(.uuid) { $0.uuid(uuid) }
        let place = "$\(parameters.count)::uuid"
        return "INSERT INTO \(table) (token) \(source) \(source == "VALUES" ? "(\(place))" : place)"
    }

    private func purge(_ parameters: inout Parameters) -> String {
        let cutoff = UUID(timeOrderedAt: uuid.timeOrderedDate.addingTimeInterval(-2 * SaveTokens.lifetime))
        parameters.append(.uuid) { $0.uuid(cutoff) }
        return SaveTokens.purge(table, cutoff: parameters.count)
    }
}
