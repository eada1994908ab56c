public import Foundation

extension Cell {
    /// The value of a `bytea`, copied.
    @inlinable
    public func data() -> Data { Data(bytes) }

    /// The value of a `uuid`.
    @inlinable
    public var uuid: UUID {
        precondition(length == 16, "The cell is not a uuid. Check the column with QueryResult.require(_:).")
        return UUID(uuid: UnsafeRawPointer(start.unsafelyUnwrapped).loadUnaligned(as: uuid_t.self))
    }

    /// The value of a `timestamptz`; the server's infinities are infinitely far away.
    public var date: Date { Timestamp.date(of: load(Int64.self)) }

    /// Returns the value of a `numeric`.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if it has more than 38 digits or is infinite.
    public func decimal() throws -> Decimal { try Numeric.decimal(bytes) }

    /// Returns the value of a computed `numeric`, rounded to 38 digits if it has more.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if it is infinite or beyond the range of
    ///   `Decimal`.
    package func roundedDecimal() throws -> Decimal { try Numeric.rounded(bytes) }

    /// The first digits of a `numeric`, for messages about a value that ``decimal()`` cannot hold.
    package var numericText: String { Numeric.text(bytes) }

    /// Returns the text of a `jsonb`.
    public func jsonb() -> String { String(decoding: bytes.dropFirst(), as: UTF8.self) }
}
