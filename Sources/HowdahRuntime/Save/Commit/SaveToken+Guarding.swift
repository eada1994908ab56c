import PQClient

extension SaveToken {
    /// The same statement, leaving the token if and only if it touches a row.
    ///
    /// A statement alone commits before anybody sees whether its row was in the expected version, so that the
    /// token must not be there where it was not.
    func guarding(_ statement: SaveStatement) -> SaveStatement {
        var parameters = statement.parameters
        let returning = statement.readBack == nil ? " RETURNING 1" : ""
        var parts = [
            "saved AS (\(statement.sql)\(returning))",
            "token AS (INSERT INTO \(table) (token) SELECT \(place(&parameters)) FROM saved LIMIT 1)",
        ]
        if purges { parts.append("old AS (\(purge(&parameters)))") }
        return SaveStatement(
            "WITH \(parts.joined(separator: ", ")) SELECT * FROM saved", parameters,
            guarded: statement.guarded, readBack: statement.readBack)
    }
}
