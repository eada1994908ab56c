import Foundation
import PQClient

/// The token of one transaction, and the statement that leaves it in the store.
struct SaveToken: Sendable {
    let uuid: UUID
    /// Whether this transaction also deletes old tokens.
    let purges: Bool
    /// The quoted name of the table of tokens.
    let table: String

    /// Leaves the token.
    ///
    /// - Parameter mayPurge: false where deleting what others delete too is an error, as it is above READ COMMITTED.
    func insertion(mayPurge: Bool = true) -> (sql: String, parameters: Parameters) {
        var parameters = Parameters()
        let insertion = "INSERT INTO \(table) (token) VALUES (\(place(&parameters)))"
        guard purges, mayPurge else { return (insertion, parameters) }
        return ("WITH old AS (\(purge(&parameters))) \(insertion)", parameters)
    }

    /// Appends the token to the parameters; how it is written in the statement.
    func place(_ parameters: inout Parameters) -> String {
        let uuid = uuid
        parameters.append(.uuid) { $0.uuid(uuid) }
        return "$\(parameters.count)::pg_catalog.uuid"
    }

    /// Deletes old tokens.
    func purge(_ parameters: inout Parameters) -> String {
        let cutoff = UUID(timeOrderedAt: uuid.timeOrderedDate.addingTimeInterval(-2 * SaveTokens.lifetime))
        parameters.append(.uuid) { $0.uuid(cutoff) }
        return SaveTokens.purge(table, cutoff: parameters.count)
    }
}
