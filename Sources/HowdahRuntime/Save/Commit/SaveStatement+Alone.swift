import PQClient

extension SaveStatement {
    /// The same statement as a transaction by itself, with what a save leaves and looks for.
    ///
    /// A statement alone commits before anybody sees whether its row was in the expected version. The token is therefore left if
    /// and only if it touches a row. A look for a store that is gone fails the statement, unless it touches no row anyway.
    ///
    /// - Parameters:
    ///   - token: The token to leave.
    ///   - mark: The store to look for, if the session cannot keep others from exchanging it.
    func alone(leaving token: SaveToken?, lookingFor mark: StoreMark?) -> SaveStatement {
        if token == nil, mark == nil { return self }
        var parameters = parameters
        var parts = ["saved AS (\(sql)\(readBack == nil ? " RETURNING 1" : ""))"]
        if let token { parts += token.parts(&parameters) }
        if let mark {
            parts.append("store AS MATERIALIZED (\(mark.check(&parameters)))")
        }
        let result = mark == nil ? "SELECT * FROM saved" : "SELECT saved.* FROM store, saved"
        return SaveStatement(
            "WITH \(parts.joined(separator: ", ")) \(result)", parameters, guarded: guarded,
            readBack: readBack)
    }
}

extension SaveToken {
    /// The parts of a WITH clause that leave the token if `saved` has a row.
    fileprivate func parts(_ parameters: inout Parameters) -> [String] {
        var parts = [
            "token AS (INSERT INTO \(table) (token) SELECT \(place(&parameters)) FROM saved LIMIT 1)"
        ]
        if purges { parts.append("old AS (\(purge(&parameters)))") }
        return parts
    }
}
