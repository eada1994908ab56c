package import HowdahModel

extension StoreSchema.ColumnType {
    /// Returns the digest of a long text or of bytes, by which rows are found and compared.
    ///
    /// Columns without a bound are indexed by it, because an entry of a B-tree holds at most a third of a
    /// page. Indexes of the store contain the same expression, so that the server can use them.
    ///
    /// - Parameter sql: The column or parameter, as SQL text of this type.
    /// - Returns: SQL text.
    package func digest(of sql: String) -> String {
        self == .bytea ? "pg_catalog.sha256(\(sql))" : "pg_catalog.md5(\(sql))"
    }
}
