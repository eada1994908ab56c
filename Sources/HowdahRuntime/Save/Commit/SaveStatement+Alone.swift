import PQClient

extension SaveStatement {
    /// Returns the same statement as a transaction by itself, with the token of a save and the check of the
    /// store.
    ///
    /// A single statement commits before its row's version can be checked. It therefore writes the token if
    /// and only if it touches a row. The check of a missing store fails the statement, unless it touches no
    /// row anyway.
    ///
    /// - Parameters:
    ///   - token: The token to write.
    ///   - mark: The store to check, if the session cannot prevent its exchange.
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
    /// Returns the parts of a WITH clause that write the token if `saved` has a row.
    fileprivate func parts(_ parameters: inout Parameters) -> [String] {
        var parts = [
            "token AS (INSERT INTO \(table) (token) SELECT \(place(&parameters)) FROM saved LIMIT 1)"
        ]
        if purges { parts.append("old AS (\(purge(&parameters)))") }
        return parts
    }
}
