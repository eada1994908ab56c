public import Foundation

extension CellWriter {
    /// Writes `text`, or another type that the server reads as bytes of UTF-8.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if `value` holds U+0000, which the server
    ///   refuses.
    @inlinable
    public mutating func string(_ value: String) throws {
        var value = value
        let isValid = value.withUTF8 { utf8 in
            if let base = utf8.baseAddress, memchr(base, 0, utf8.count) != nil { return false }
            append(Int32(clamping: utf8.count))
            buffer.append(contentsOf: utf8)
            return true
        }
        guard isValid else { throw Self.containsNUL() }
        cellCount += 1
    }

    /// Writes `bytea`.
    @inlinable
    public mutating func data(_ value: Data) {
        append(Int32(clamping: value.count))
        value.withUnsafeBytes { buffer.append(contentsOf: $0) }
        cellCount += 1
    }

    /// Writes `bytea`, or a value that is already in its type's binary form.
    @inlinable
    public mutating func bytes(_ value: some Collection<UInt8>) {
        append(Int32(clamping: value.count))
        buffer.append(contentsOf: value)
        cellCount += 1
    }

    /// Writes `uuid`.
    @inlinable
    public mutating func uuid(_ value: UUID) {
        append(16 as Int32)
        withUnsafeBytes(of: value.uuid) { buffer.append(contentsOf: $0) }
        cellCount += 1
    }

    /// Writes `timestamptz`, rounded to microseconds (half away from the reference date).
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if the date is outside the server's range.
    @inlinable
    public mutating func date(_ value: Date) throws { fixed(try Timestamp.microseconds(of: value)) }

    /// Writes `numeric` exactly; NaN is a value.
    public mutating func decimal(_ value: Decimal) throws {
        let words = Numeric.words(value)
        append(Int32(2 * words.count))
        for word in words { append(word) }
        cellCount += 1
    }

    /// Writes `jsonb` from its text.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if `text` holds U+0000.
    public mutating func jsonb(_ text: String) throws {
        guard !text.utf8.contains(0) else { throw Self.containsNUL() }
        append(Int32(clamping: text.utf8.count + 1))
        append(1 as UInt8)
        buffer.append(contentsOf: text.utf8)
        cellCount += 1
    }

    @usableFromInline
    static func containsNUL() -> PostgresError {
        PostgresError(
            .invalidValue,
            "The string contains U+0000, which PostgreSQL cannot store in text. Remove that character, or store Data."
        )
    }
}
