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

    /// The value of a `numeric`.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` when it has more than 38 digits or is infinite.
    public func decimal() throws -> Decimal { try Numeric.decimal(bytes) }

    /// The value of a `numeric` that was computed: what has more than 38 digits is rounded to them.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` when it is infinite or beyond the range of `Decimal`.
    package func roundedDecimal() throws -> Decimal { try Numeric.rounded(bytes) }

    /// The beginning of a `numeric` in digits, for messages about one that ``decimal()`` cannot hold.
    package var numericText: String { Numeric.text(bytes) }

    /// The text of a `jsonb`.
    public func jsonb() -> String { String(decoding: bytes.dropFirst(), as: UTF8.self) }
}
