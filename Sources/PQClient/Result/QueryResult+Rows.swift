extension QueryResult {
    /// Calls `body` with each row in order.
    @inlinable
    public func forEachRow(_ body: (Row) throws -> Void) rethrows {
        try withExtendedLifetime(self) {
            for index in 0..<rowCount { try body(row(index)) }
        }
    }

    /// Returns the results of `transform` for each row, in order.
    @inlinable
    public func map<T>(_ transform: (Row) throws -> T) rethrows -> [T] {
        try withExtendedLifetime(self) {
            var values: [T] = []
            values.reserveCapacity(rowCount)
            for index in 0..<rowCount { values.append(try transform(row(index))) }
            return values
        }
    }

    /// Returns the result of `transform` for the first row; nil if the result is empty.
    ///
    /// A ``Row`` is valid only as long as its result. Inside `transform` it is, also if nothing else holds the result:
    /// `query(…).row(0)` would read freed memory.
    @inlinable
    public func first<T>(_ transform: (Row) throws -> T) rethrows -> T? {
        try withExtendedLifetime(self) { rowCount > 0 ? try transform(row(0)) : nil }
    }

    /// Returns the result of `decode` for the first column of the first row.
    ///
    /// It is nil if that value is NULL, or if the result is empty.
    @inlinable
    public func scalar<T>(_ decode: (Cell) throws -> T) rethrows -> T? {
        try withExtendedLifetime(self) {
            guard rowCount > 0, columnCount > 0 else { return nil }
            let cell = row(0)[0]
            return cell.isNull ? nil : try decode(cell)
        }
    }

    /// Checks that the columns have exactly these types, so that they can be decoded safely.
    ///
    /// - Parameter types: The expected types, in the order of the columns.
    /// - Throws: ``PostgresError`` with code `invalidValue`, which names the first column that differs.
    public func require(_ types: [OID]) throws {
        let columns = columns
        guard columns.count == types.count else {
            throw PostgresError(
                .invalidValue,
                "The result has \(columns.count) columns instead of \(types.count). Name a type for each column.",
                phase: .decode)
        }
        for (column, type) in zip(columns, types) where column.type != type {
            throw PostgresError(
                .invalidValue,
                "Column \(column.name) has \(column.type.sqlName) instead of \(type.sqlName). Cast the column "
                    + "in the statement, or restore the column's type if the table was altered.",
                phase: .decode)
        }
    }
}
