import PQClient

extension QueryResult {
    /// Returns a value of the first row; nil if there is none. The result lives until then.
    func first<T>(_ value: (Row) throws -> T) rethrows -> T? {
        try withExtendedLifetime(self) { rowCount > 0 ? try value(row(0)) : nil }
    }
}
