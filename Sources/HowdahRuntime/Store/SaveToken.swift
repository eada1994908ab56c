import Foundation
import PQClient

/// The token of one transaction, and the statement that writes it to the store.
struct SaveToken: Sendable {
    let uuid: UUID
    /// A Boolean value that indicates whether this transaction also deletes old tokens.
    let purges: Bool
    /// The quoted name of the table of tokens.
    let table: String

    /// Returns the statement that writes the token.
    ///
    /// - Parameter mayPurge: False above READ COMMITTED, at which deleting the same rows as another
    ///   transaction is an error.
    func insertion(mayPurge: Bool = true) -> (sql: String, parameters: Parameters) {
        var parameters = Parameters()
        let insertion = "INSERT INTO \(table) (token) VALUES (\(place(&parameters)))"
        guard purges, mayPurge else { return (insertion, parameters) }
        return ("WITH old AS (\(purge(&parameters))) \(insertion)", parameters)
    }

    /// Appends the token to the parameters, and returns its place in the statement.
    func place(_ parameters: inout Parameters) -> String {
        let uuid = uuid
        parameters.append(.uuid) { $0.uuid(uuid) }
        return WrittenColumns.token(at: parameters.count)
    }

    /// Returns the statement that deletes old tokens.
    func purge(_ parameters: inout Parameters) -> String {
        let cutoff = UUID(timeOrderedAt: uuid.timeOrderedDate.addingTimeInterval(-2 * SaveTokens.lifetime))
        parameters.append(.uuid) { $0.uuid(cutoff) }
        return SaveTokens.purge(table, cutoff: parameters.count)
    }
}
