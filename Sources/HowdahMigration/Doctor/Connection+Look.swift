package import PQClient

extension Connection {
    /// Runs `look`, and undoes it if a statement of it fails within a transaction, so that the transaction goes on.
    ///
    /// Outside of a transaction, it only runs `look`.
    ///
    /// - Throws: The error of `look`.
    package func undoingFailure<Value>(_ look: () throws -> Value) throws -> Value {
        guard transactionStatus == .inTransaction else { return try look() }
        let name = "howdah_look"
        try savepoint(name)
        do {
            let found = try look()
            try release(savepoint: name)
            return found
        } catch  where transactionStatus == .failed {
            try rollback(toSavepoint: name)
            throw error
        }
    }
}
