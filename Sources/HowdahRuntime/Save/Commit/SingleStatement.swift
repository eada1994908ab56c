import PQClient

/// The only statement of a save as a transaction by itself, with what belongs to the save.
///
/// A single statement commits before its row's version can be checked. It therefore writes token and history if and
/// only if it touches a row. The check of a missing store fails the statement, unless it touches no row anyway.
struct SingleStatement {
    let statement: SaveStatement
    /// The token to write.
    let token: SaveToken?
    /// The store to check, if the session cannot prevent its exchange.
    let mark: StoreMark?
    /// The history to write, which must be one statement.
    let history: HistoryRows?

    /// Returns all of it as one statement.
    func whole() throws -> SaveStatement {
        if token == nil, mark == nil, history == nil { return statement }
        var parameters = statement.parameters
        if let token, !token.purges, mark == nil, history == nil, statement.readBack == nil {
            let place = token.place(&parameters)
            return SaveStatement(
                statement.written?.textWithToken
                    ?? WrittenColumns.text(statement.sql, writing: place, to: token.table),
                parameters, guarded: statement.guarded, about: statement.subject)
        }
        var parts = ["saved AS (\(statement.sql)\(statement.readBack == nil ? " RETURNING 1" : ""))"]
        if let token { parts += token.parts(&parameters) }
        if let history {
            parts += try history.parts(after: &parameters, isOneRow: statement.guarded?.keys.count == 1)
        }
        if let mark {
            parts.append("store AS MATERIALIZED (\(mark.check(&parameters)))")
        }
        let result = mark == nil ? "SELECT * FROM saved" : "SELECT saved.* FROM store, saved"
        return SaveStatement(
            "WITH \(parts.joined(separator: ", ")) \(result)", parameters, guarded: statement.guarded,
            readBack: statement.readBack, about: statement.subject)
    }
}

extension SaveToken {
    /// Returns the parts of a WITH clause that write the token if `saved` has a row.
    fileprivate func parts(_ parameters: inout Parameters) -> [String] {
        var parts = [
            "token AS (INSERT INTO \(table) (token) SELECT \(place(&parameters)) FROM saved LIMIT 1)"
        ]
        if purges { parts.append("old AS (\(purge(&parameters)))") }
        return parts
    }
}
